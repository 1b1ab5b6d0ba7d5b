"""What the checks of modules share: a student's module and a reference that hold the same weights, and their comparison."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder import expect
from autograder.failure import CheckFailure
from autograder.student import Answer, Made, Student, StudentModule, matching


class Twins:
    """A student's module ``name(*build)`` and a reference, both with the weights that are drawn here, in eval mode."""

    def __init__(
        self,
        student: Student,
        name: str,
        build: tuple,
        reference: nn.Module,
        draw: Any,
        dtype: torch.dtype = torch.float64,
        weights: Mapping[str, Tensor] | None = None,
    ):
        self.reference = reference.to(dtype).eval()
        own = dict(self.reference.named_parameters())
        self.weights = {key: drawn(key, value, draw).to(dtype) for key, value in own.items()} | dict(weights or {})
        with torch.no_grad():
            for key, value in self.weights.items():
                own[key].copy_(value)
        self.module: StudentModule = student.build(name, *build, weights=self.weights)
        self.name, self.build = name, build

    def agree(self, *inputs: Any, what: Sequence[str], size: float = 4.0, setting: str = "", **options: Any) -> Any:
        """Compare all results for these inputs; ``what`` names them in order. Returns the student's."""
        with torch.no_grad():
            want = self.reference(*inputs, **options)
        got = self.module(*inputs, **options)
        with explained_if_random(self.module, got, *inputs, **options):
            alike(got, want, what, size, setting or describe(*inputs))
        return got

    def gradients_agree(
        self, *inputs: Tensor, draw: Any, names: Sequence[str], outputs: int = 1, setting: str = "", **options: Any
    ) -> None:
        """Compare the gradients with respect to the inputs (``names``) and to all parameters. ``outputs`` results count."""
        leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
        results = self.reference(*leaves, **options)
        results = (results if isinstance(results, tuple) else (results,))[:outputs]
        cotangents = tuple(draw.normal(*result.shape) for result in results)
        answer = self.module.request(*inputs, cotangents=cotangents, **options)
        total = sum((out * c).sum() for out, c in zip(results, cotangents, strict=True))
        parameters = dict(self.reference.named_parameters())
        wanted = [x for x in leaves if x.requires_grad]
        want = torch.autograd.grad(total, [*wanted, *parameters.values()])
        found = [*answer.gradients, *parameter_gradients(answer, parameters)]
        with explained_if_random(self.module, None, *inputs, **options):
            expect.gradients(found, want, (*names, *parameters), setting or describe(*inputs))


@contextlib.contextmanager
def explained_if_random(module: StudentModule, got: Any, *inputs: Any, **options: Any) -> Iterator[None]:
    """To a failure about values, add as its cause that the same call gives other values each time, if it does.

    ``got`` is what the call gave before; None if it has not been made.
    """
    try:
        yield
    except CheckFailure as failure:
        if failure.kind != "value":
            raise
        before = module(*inputs, **options) if got is None else got
        if not _equal(before, module(*inputs, **options)):
            failure.kind, failure.cause = "random", "random in eval mode"  # no known answer's numbers could equal these
            failure.hint = (
                "The same call gives other numbers each time. In eval mode dropout has to be off: nn.Dropout knows the mode, "
                "F.dropout has to be told (training=self.training). A layer made in forward has new random weights in every call."
            )
        raise


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return torch.equal(a, b) or torch.allclose(a, b, equal_nan=True)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b)


def parameter_gradients(answer: Answer, names: Sequence[str] | Mapping[str, Any]) -> list[Tensor | None]:
    """Return the student's gradients of the parameters that are meant by these names."""
    own = answer.parameter_gradients
    return [next((own[key] for key in matching(name, own)), None) for name in names]


def drawn(name: str, like: Tensor, draw: Any) -> Tensor:
    """Draw weights of a size at which a mistake shows: matrices such that results are of order 1, vectors well off 0 and 1."""
    if like.dim() >= 2:
        return draw.normal(*like.shape, scale=like[0].numel() ** -0.4)
    return draw.normal(*like.shape, scale=0.4) + (1.0 if name.endswith("gamma") else 0.0)


def alike(got: Any, want: Any, what: Sequence[str], size: float, setting: str) -> None:
    """Compare a result with the reference's: one tensor, a pair, or a pair whose second part is itself several tensors."""
    names = iter(what)
    if isinstance(want, Tensor):
        expect.close(expect.tensor(got, what[0]), want, what[0], size=size, setting=setting)
        return
    first, second = want
    whole = what[1] if isinstance(second, Tensor) else f"({', '.join(what[1:])})"
    got_first, got_second = two(got, what[0], whole)
    pairs = [(got_first, first, next(names))]
    if isinstance(second, Tensor):
        pairs.append((got_second, second, next(names)))
    else:
        pairs += zip(several(got_second, len(second), whole), second, names, strict=True)
    # Weights first: what is wrong there is wrong in the outputs too.
    for value, expected, name in sorted(pairs, key=lambda pair: not pair[2].startswith("A")):
        expect.close(expect.tensor(value, name), expected, name, size=size, setting=setting)


def two(value: Any, first: str, second: str) -> tuple[Any, Any]:
    """Return both parts of a pair whose second part may be several tensors, or fail."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        expect.pair(value, first, second)  # raises the failure that fits
    return value[0], value[1]


def several(value: Any, count: int, what: str) -> Sequence[Any]:
    """Return a tuple or list of that many results, or fail."""
    if not isinstance(value, tuple | list) or len(value) != count:
        came = f"{len(value)} things" if isinstance(value, tuple | list) else f"a {type(value).__name__}"
        raise CheckFailure(
            "type",
            f"The second result should be {what}.",
            expected=f"{count} tensors",
            yours=came,
            received=came,
            cause="wrong number of results",
            hint=f"Return a pair whose second part holds {count} tensors, {what}.",
        )
    return value


def no_weights(value: Any) -> None:
    """Fail unless this is an empty list, as it has to be with need_weights=False."""
    if isinstance(value, list | tuple) and not len(value):
        return
    raise CheckFailure(
        "type", "There should be no weights with need_weights=False.", expected="an empty list",
        yours=f"{len(value)} of them" if isinstance(value, list | tuple) else f"a {type(value).__name__}",
        received="weights", cause="need_weights not passed on",
        hint="Pass need_weights on: without the weights, attention takes a faster way.",
    )  # fmt: skip


def describe(*inputs: Any) -> str:
    """Name the shapes and the dtype of the inputs."""
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    return f"inputs {', '.join(str(tuple(x.shape)) for x in tensors)}" + (f", {tensors[0].dtype}" if tensors else "")


def has_parameters(student: Student, name: str, build: tuple, want: Mapping[str, Tensor]) -> None:
    """Fail unless the module has exactly these parameters, by name and shape."""
    own = student.build(name, *build).parameters()
    meant = {key: key for key in own} | {key: wanted for wanted in want for key in matching(wanted, own)}
    got: dict[str, tuple] = {}
    for key, value in own.items():
        got[meant[key] if meant[key] not in got else key] = tuple(value.shape)
    parameters_are(
        got,
        {key: tuple(value.shape) for key, value in want.items()},
        f"{name}({', '.join(_written(part) for part in build)})",
    )


def _written(part: Any) -> str:
    return "config" if isinstance(part, Made) else repr(part)


def parameters_are(got: Mapping[str, tuple], want: Mapping[str, tuple], title: str) -> None:
    """Compare names and shapes of parameters."""
    if dict(got) == dict(want):
        return
    differing = [key for key in want if got.get(key) != want[key]] + [key for key in got if key not in want]
    raise CheckFailure(
        "parameters",
        f"{title} does not have the parameters that it should have.",
        expected=_listed(want, differing) or "none besides",
        yours=_listed(got, differing) or "none of these",
        received=sorted(got.items()),
        **_parameter_cause(got, want),
    )


def _listed(shapes: Mapping[str, tuple], chosen: Sequence[str]) -> str:
    shown = [f"{name} {shapes[name]}" for name in chosen if name in shapes]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")


def _parameter_cause(got: Mapping[str, tuple], want: Mapping[str, tuple]) -> dict[str, str]:
    missing, extra = [n for n in want if n not in got], [n for n in got if n not in want]
    if extra and all(name.endswith("bias") for name in extra) and not missing:
        return {
            "cause": "bias not switched off",
            "hint": "nn.Linear has a bias unless told otherwise; here there should be none.",
        }
    if missing and all(name.endswith("bias") for name in missing) and not extra:
        return {
            "cause": "bias missing",
            "hint": "The linear maps here have a bias, as nn.Linear has one unless told otherwise.",
        }
    if missing:
        return {
            "cause": "weights not registered under their names",
            "hint": f"Missing: {', '.join(missing[:4])}. A layer belongs to the module when it is an attribute of its own, "
            "self.W_Q = ..., or in an nn.ModuleList; not when it is kept in a plain list, shared, or made in forward.",
        }
    if extra:
        return {"cause": "extra parameters", "hint": f"Not asked for here: {', '.join(extra[:4])}."}
    return {
        "cause": "weights of the wrong shape",
        "hint": "nn.Linear(a, b) maps vectors of width a to vectors of width b, and keeps its weight as (b, a).",
    }


def refuses(what: str, hint: str, call: Callable[..., Any], *args: Any) -> None:
    """Fail unless ``call(*args)`` raises an error of the student's own code."""
    try:
        call(*args)
    except CheckFailure as failure:
        # With a cause, the whole process was stopped. NotImplementedError is a refusal here: that the exercise is written,
        # every caller has seen before.
        if failure.kind == "unwritten" or (failure.kind == "crash" and not failure.cause):
            return
        raise
    raise CheckFailure(
        "accepted",
        f"{what} is accepted without an error.",
        expected="a ValueError",
        yours="no error",
        received=what,
        cause="bad argument accepted",
        hint=hint,
    )


def same_twice(module: StudentModule, *inputs: Any) -> None:
    """Fail unless two calls in training mode give the same first result."""
    first, second = (first_result(module.when(training=True, times=n)(*inputs)) for n in (1, 2))
    if first.shape != second.shape or not torch.allclose(first, second, equal_nan=True):
        raise CheckFailure(
            "random",
            "The same module gives different results for the same input.",
            received="random",
            cause="result changes from call to call",
            hint="Without dropout nothing here is random or remembers earlier calls.",
        )


def leaves_no_trace(twins: Twins, others: Sequence[tuple], *inputs: Any, what: Sequence[str]) -> None:
    """Compare a call with the reference after the same module has seen other inputs. A result that is wrong without them
    too is a wrong value and nothing else."""
    got = twins.module.when(before=others).request(*inputs).value
    with torch.no_grad():
        want = twins.reference(*inputs)
    try:
        alike(got, want, what, 4.0, "after calls of the same module with other inputs")
    except CheckFailure as failure:
        if _equal(got, twins.module(*inputs)):
            failure.setting = ""
            raise
        failure.kind, failure.cause = "memory", "remembers earlier calls"
        failure.hint = (
            "Something made in an earlier call is kept and used again. Make it afresh from the inputs in every call."
        )
        raise


def uses_its_inputs(module: StudentModule, first: tuple, second: tuple) -> None:
    """Fail when the module gives the same first result for two different inputs."""
    one, other = (first_result(module(*inputs)) for inputs in (first, second))
    expect.depends_on_its_inputs(one, other, "The result")


def first_result(value: Any, what: str = "The first result") -> Tensor:
    """Return the first of several results, or the only one."""
    return expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, what)
