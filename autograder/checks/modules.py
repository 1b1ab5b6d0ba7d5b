"""Checks of modules: a student's module and a reference with the same weights, compared in training and evaluation mode.

The student's ``forward`` is compared on a few inputs only; points for trained weights come from the grader's own model. A model
is built only if it holds no more numbers than the file.
"""

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from autograder.checks import expect
from autograder.checks.expect import tolerance
from autograder.checks.properties import alike, describe, equal
from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import matching, tensors_of
from autograder.runtime.student import Response, Student, StudentModule

#: Cause and hint for results that are random and must not be; no known answer can reproduce their numbers.
RANDOM, RANDOM_HINT = (
    "random in eval mode",
    "The same call gives different numbers each time. In eval mode dropout must be off: nn.Dropout follows the "
    "mode, F.dropout needs training=self.training. A layer created in forward has new random weights in every call.",
)

#: The factor by which the results of one input in two memory orders may differ more than by usual rounding.
_BETWEEN_ORDERS = 16

MOVES = "In eval mode the same call gives different numbers each time."


class BothModes(StudentModule):
    """A module without dropout: each call in eval mode is repeated in training mode, and must give the same result."""

    @classmethod
    def of(cls, module: StudentModule) -> "BothModes":
        return cls(module.student, module.name, module.build, module.weights, module.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "training" in self.options:
            return super().__call__(*args, **kwargs)
        # One module for both modes, which takes half as long as two. Where they differ, or one stops, new ones show how.
        with contextlib.suppress(CheckFailure):
            response = self.when(both_modes=True).request(*args, **kwargs)
            if _close(response.value, response.in_training):
                return response.value
        value = super().__call__(*args, **kwargs)
        expect_the_same(value, lambda training: self.when(training=training)(*args, **kwargs))
        return value


def expect_the_same(value: Any, call: Callable[[bool], Any]) -> None:
    """Fail if ``call(training=True)`` differs from ``value``, the result in eval mode, or if eval mode is random."""
    in_training = call(True)
    if _close(value, in_training):
        return
    if not _close(value, call(False)):
        raise CheckFailure("random", MOVES, received="eval", cause=RANDOM, hint=RANDOM_HINT)
    # Arguments alternate between two memory orders, in which rounding differs if inputs have a large mean. The next call has
    # the order of the one in training mode: if it gives the same result, the mode makes no difference.
    if _close(call(False), in_training):
        if _close(value, in_training, _BETWEEN_ORDERS):
            return
        raise CheckFailure(
            "value",
            "The same numbers in another order in memory give another result.",
            expected="the same results",
            received="another result in another order",
            cause="another result in another order in memory",
            hint="Where inputs have a large mean, the order of a sum decides about the last digits. Look for a difference of two "
            "large numbers, in which only these are left.",
        )
    raise CheckFailure(
        "mode",
        "In training mode the results differ from those in eval mode, although the module has no dropout.",
        expected="the same results",
        received="another result in training mode",
        cause="another result in training mode",
        hint="Without dropout nothing here depends on the mode. Look for self.training, for a dropout rate other than 0 despite "
        "dropout=0.0, and for a layer that behaves differently in training, such as BatchNorm.",
    )


def expect_still(module: StudentModule, *inputs: Any, setting: str) -> Any:
    """Return the module's result in eval mode; fail if a second call gives a different one.

    Call this before a result in eval mode serves as the result without dropout.
    """
    first = module(*inputs)
    if _close(first, module(*inputs)):
        return first
    raise CheckFailure("random", MOVES, setting=setting, received="eval", cause=RANDOM, hint=RANDOM_HINT)


def _close(a: Any, b: Any, times: float = 1.0) -> bool:
    """Return whether two results are equal up to rounding, or up to ``times`` the tolerance for rounding."""
    if isinstance(a, tuple | list):
        same_kind = isinstance(b, tuple | list) and len(a) == len(b)
        return same_kind and all(_close(*pair, times) for pair in zip(a, b, strict=True))
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return type(a) is type(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.is_floating_point():
        return bool((a == b).all())
    a, b = a.detach(), b.detach()
    size = float(a.abs().nan_to_num(0, 0, 0).max()) if a.numel() else 1.0
    return bool(
        ((a - b).abs() <= times * tolerance(a.dtype, max(size, 1.0)))
        .logical_or(a == b)
        .logical_or(a.isnan() & b.isnan())
        .all()
    )


Weights = Mapping[str, Tensor]
Make = Callable[[], nn.Module]

#: Rows of a batch: the most costly model within the bounds needs less than 320 MiB for the first number. A model that computes
#: less gets more rows at once, up to the second: with few, most of the time goes to PyTorch's calls.
_ROWS, _MOST_ROWS = 16, 64
#: Maximum of bytes and operations of a model for the few inputs on which it is compared: fifteen and forty times those of the
#: most costly model of the course, and more than a model of usual shape needs if its file has the maximum size. A small file can
#: hold a model with so many heads or blocks that its attention weights take gigabytes. The maximum of calls of PyTorch's
#: operators is five times that of the most costly model of the course: with forty blocks, however narrow, a model takes minutes.
MOST_COMPUTED, MOST_OPERATIONS, MOST_CALLS = 128 * 2**20, 3 * 10**9, 3200
#: Largest difference attributed to rounding, relative to the largest number.
SLACK = 1e-3


class OtherModel(Exception):
    """The weights do not belong to the expected model."""


def named(weights: Weights, name: str) -> str:
    """Return the name in ``weights`` that ``name`` refers to: the same name, or the shortest one that ends in it (``part.name``).

    Raises OtherModel if there is none.
    """
    names = matching(name, weights)
    if not names:
        raise OtherModel(f"no weight {name}")
    return min(names, key=len)


def sizes(weights: Weights, name: str, axes: int) -> tuple[int, ...]:
    """Return the shape of a weight. Raises OtherModel if there is none of that name with ``axes`` axes."""
    shape = tuple(weights[named(weights, name)].shape)
    if len(shape) != axes:
        raise OtherModel(f"{name} of shape {shape}")
    return shape


def count(weights: Weights, name: str) -> int:
    """Count the weights ``name.format(number)`` for 0, 1, 2, … Raises OtherModel if there is none."""
    number = 0
    while matching(name.format(number), weights):
        number += 1
    if not number:
        raise OtherModel(f"no weight {name}")
    return number


class _TooCostly(Exception):
    """A model computes more than any submitted model needs to."""


class _Bounded(TorchDispatchMode):
    """Raises _TooCostly if the bytes of tensors, the operations on them, or the calls exceed their bounds."""

    def __init__(self) -> None:
        super().__init__()
        self.computed_bytes = self.operations = self.calls = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        self.calls += 1
        value = function(*args, **(kwargs or {}))
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        # A result in one of these is a view.
        input_storages = {tensor.untyped_storage().data_ptr() for tensor in inputs}
        for result in [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]:
            if result.untyped_storage().data_ptr() not in input_storages:
                self.computed_bytes += result.numel() * result.element_size()
                self.operations += result.numel() * _per_number(function, inputs)
        if self.computed_bytes > MOST_COMPUTED or self.operations > MOST_OPERATIONS or self.calls > MOST_CALLS:
            raise _TooCostly(
                f"{self.computed_bytes / 2**20:.0f} MiB, {self.operations / 1e9:.1f} billion operations, "
                f"{self.calls:,} calls, and more"
            )
        return value


def _per_number(function: Any, inputs: Sequence[Tensor]) -> int:
    """Return the approximate operations that an operator needs per number of its result: many for a product, otherwise one."""
    name = str(function)
    if any(f".{product}." in name for product in ("mm", "addmm", "bmm", "baddbmm")):
        return 2 * inputs[-1].shape[-2]
    if "convolution" in name:
        return 2 * inputs[1].numel() // inputs[1].shape[0]
    return 1


def possible_heads(width: int) -> list[int]:
    """Return the possible numbers of heads for a width: a file of weights does not record the actual one."""
    return [heads for heads in range(1, width + 1) if width % heads == 0]


def filled(make: Make, weights: Weights) -> nn.Module:
    """Return ``make()`` with these weights, in eval mode. It is built on the meta device, and uses the tensors without a copy.

    Raises OtherModel unless each weight of the model is present, under a distinct name and with the right shape.
    """
    with torch.device("meta"):
        model = make()
    state = model.state_dict()
    names = {name: named(weights, name) for name in state}
    tensors = {name: weights[weight_name] for name, weight_name in names.items()}
    differing = [
        name for name in state if tensors[name].shape != state[name].shape or not tensors[name].is_floating_point()
    ]
    if differing or len({*names.values()}) < len(names):
        raise OtherModel(", ".join(differing) or "a weight for two places")
    model.load_state_dict(tensors, assign=True)
    return model.eval().requires_grad_(False)


def rows_at_once(model: Any) -> int:
    """Return the rows of a batch: most for a model of :meth:`OwnModel.like` that computes little, or for a copy of it."""
    return getattr(model, "rows_at_once", _ROWS)


@torch.no_grad()
def in_batches(compute: Callable[..., Tensor], *inputs: Tensor, model: nn.Module | None = None) -> Tensor:
    """Return ``compute(*inputs)``, computed for some rows of the inputs at a time.

    ``model`` is the one that ``compute`` calls, unless it is ``compute`` itself: it decides the number of rows.
    Raises CheckFailure if a result contains NaN or infinity. Finite results in the comparison with the student's model do not
    rule this out: one enormous weight may affect only inputs with a certain word. With NaN, neither counting smaller numbers nor
    taking a minimum is reliable.
    """
    rows = rows_at_once(compute if model is None else model)
    batches = zip(*(tensor.split(rows) for tensor in inputs), strict=True)
    result = torch.cat([compute(*batch) for batch in batches])
    expect.are_numbers(result, "For some inputs the model computes")
    return result


@dataclass(frozen=True)
class OwnModel:
    """The grader's version of the model that the exercise ``name`` returns, described by ``kind``: one of
    ``candidates(weights)``.

    Candidates have weights of the same shapes, and differ in properties that weights do not reveal, such as the number of heads.
    ``hints`` maps the name of a result to the mistake that makes only this result wrong.
    """

    name: str
    kind: str
    candidates: Callable[[Weights], Iterable[Make]]
    hints: Mapping[str, str] = field(default_factory=dict)

    def like(
        self, module: StudentModule, own: Mapping[str, Tensor], compute: Callable[[nn.Module], Mapping[str, Tensor]]
    ) -> nn.Module:
        """Return the candidate that, with the weights of ``module``, gives the student's results: ``compute(candidate) == own``.

        Raises CheckFailure if no candidate does.
        """
        weights, differing = module.weights or {}, list(own)
        try:
            for make in self.candidates(weights):
                model = filled(make, weights)
                with torch.no_grad(), _Bounded() as bounded:
                    results = compute(model)
                wrong = [name for name in own if not _same(own[name], results[name])]
                if not wrong:
                    fits = _ROWS * MOST_COMPUTED // max(bounded.computed_bytes, 1)
                    vars(model)["rows_at_once"] = min(fits, _MOST_ROWS)
                    return model
                differing = min(differing, wrong, key=len)
        except _TooCostly as error:
            raise self._too_costly(str(error)) from None
        except OtherModel as error:
            raise self._failure(f"parameters of another model ({error})"[:300], []) from None
        raise self._failure(f"other {' and '.join(differing)}", differing)

    def _too_costly(self, yours: str) -> CheckFailure:
        return CheckFailure(
            "checkpoint",
            f"The model of {self.name}() is too costly to evaluate.",
            expected=f"at most {MOST_COMPUTED // 2**20} MiB, {MOST_OPERATIONS / 1e9:.0f} billion operations and "
            f"{MOST_CALLS:,} calls of operators for a few inputs",
            yours=yours,
            received="too costly",
            cause="model too costly",
            hint=f"Reduce the widths, blocks or heads of {self.name}(). The course's own model needs less than a "
            "quarter.",
        )

    def _failure(self, yours: str, differing: list[str]) -> CheckFailure:
        hint = f"{self.name}() has to return {self.kind} with the sizes that were trained, and nothing around it."
        alone = self.hints.get(differing[0], "") if len(differing) == 1 else ""
        return CheckFailure(
            "checkpoint",
            f"{self.name}() gives other results than {self.kind} with the same weights.",
            received="another model",
            cause=f"not {self.kind} with these weights",
            expected=f"what {self.kind} of any widths gives in eval mode, with the weights of the file",
            yours=yours,
            hint=f"{alone} {hint}".strip(),
        )


def _same(actual: Tensor, expected: Tensor) -> bool:
    if actual.shape != expected.shape or not actual.is_floating_point():
        return False
    return torch.allclose(actual.detach().cpu().float(), expected, rtol=SLACK, atol=SLACK * float(expected.abs().max()))


class ModulePair:
    """A student's module ``name(*build)`` and a reference, both in eval mode with the same random weights."""

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
        parameters = dict(self.reference.named_parameters())
        drawn = {key: sample(key, value, draw).to(dtype) for key, value in parameters.items()}
        self.weights = drawn | dict(weights or {})
        with torch.no_grad():
            for key, value in self.weights.items():
                parameters[key].copy_(value)
        module = student.build(name, *build, weights=self.weights)
        self.module: StudentModule = module if _drops(reference) else BothModes.of(module)
        self.name, self.build = name, build
        self._by_place = {frozenset[str]()}

    def agree(self, *inputs: Any, what: Sequence[str], size: float = 4.0, setting: str = "", **options: Any) -> Any:
        """Compare all results for these inputs, and for the first example of the batch alone. ``what`` names the results in
        order.

        Returns the student's results.
        """
        for fewer, with_options in single_input(inputs, options):
            self._agree(
                fewer, with_options, what, size, f"{setting or describe(*inputs)}, the first of the batch alone"
            )
        return self._agree(inputs, options, what, size, setting or describe(*inputs))

    def _agree(
        self, inputs: tuple, options: Mapping[str, Any], result_names: Sequence[str], size: float, setting: str
    ) -> Any:
        with torch.no_grad():
            expected = self.reference(*inputs, **options)
        actual = self.module(*inputs, **options)
        with explain_randomness(self.module, actual, *inputs, **options):
            alike(actual, expected, result_names, size, setting)
        if frozenset(options) not in self._by_place:  # which place an option has does not depend on its value
            self._agree_by_place(inputs, options, expected, result_names, size, setting)
            self._by_place.add(frozenset(options))
        return actual

    def _agree_by_place(
        self,
        inputs: tuple,
        options: Mapping[str, Any],
        expected: Any,
        result_names: Sequence[str],
        size: float,
        setting: str,
    ) -> None:
        """Compare a call with the options passed by position instead of by name."""
        parameters = inspect.signature(self.reference.forward).parameters
        names = list(parameters)[: max(list(parameters).index(name) for name in options) + 1]
        positional = (*inputs, *(options.get(name, parameters[name].default) for name in names[len(inputs) :]))
        alike(
            self.module.request(*positional).value,
            expected,
            result_names,
            size,
            f"{setting}, called as forward({', '.join(names)})",
        )

    def gradients_agree(
        self,
        *inputs: Tensor,
        draw: Any,
        names: Sequence[str],
        outputs: int | None = None,
        setting: str = "",
        **options: Any,
    ) -> None:
        """Compare the gradients with respect to the inputs (``names``) and all parameters.

        ``outputs``: how many of the results, counted through nested ones, have a gradient of their own; None means all.
        """
        leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
        results = tensors_of(self.reference(*leaves, **options))[:outputs]
        cotangents = tuple(draw.normal(*result.shape) for result in results)
        answer = self.module.request(*inputs, cotangents=cotangents, **options)
        total = sum((out * c).sum() for out, c in zip(results, cotangents, strict=True))
        parameters = dict(self.reference.named_parameters())
        requiring_grad = [x for x in leaves if x.requires_grad]
        expected = torch.autograd.grad(total, [*requiring_grad, *parameters.values()])
        received = [*answer.gradients, *parameter_gradients(answer, parameters)]
        with explain_randomness(self.module, None, *inputs, **options):
            expect.gradients(received, expected, (*names, *parameters), setting or describe(*inputs))


def single_input(inputs: tuple, options: Mapping[str, Any]) -> Iterator[tuple[tuple, dict[str, Any]]]:
    """Yield the inputs cut to a batch of one, if the first input has a larger batch.

    Ids, vectors, caches, and masks of three axes or more are cut along their first axis. With a mask of two axes, nothing is
    yielded: its first axis may or may not be the batch.
    """
    first = inputs[0]
    if not isinstance(first, Tensor) or first.dim() < (3 if first.is_floating_point() else 2) or first.shape[0] < 2:
        return
    batch = first.shape[0]
    values = (*inputs, *options.values())
    if any(isinstance(x, Tensor) and x.dtype == torch.bool and x.dim() == 2 and x.shape[0] == batch for x in values):
        return

    def cut(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(cut, value))
        if not isinstance(value, Tensor) or not value.dim() or value.shape[0] != batch:
            return value
        return value[:1] if value.dtype != torch.bool or value.dim() > 2 else value

    yield tuple(map(cut, inputs)), {name: cut(value) for name, value in options.items()}


def _drops(reference: nn.Module) -> bool:
    """Return whether a reference has non-zero dropout, as a layer or as a probability."""
    return any(
        (isinstance(submodule, nn.Dropout) and submodule.p > 0)
        or (isinstance(p := getattr(submodule, "dropout", 0), float) and p > 0)
        for submodule in reference.modules()
    )


@contextlib.contextmanager
def explain_randomness(module: StudentModule, got: Any, *inputs: Any, **options: Any) -> Iterator[None]:
    """Name randomness as the cause of a failure about values if repeating the call changes the values.

    ``got``: an earlier result of the call, if there is one.
    """
    try:
        yield
    except CheckFailure as failure:
        if failure.kind != "value":
            raise
        before = module(*inputs, **options) if got is None else got
        if not equal(before, module(*inputs, **options)):
            failure.kind, failure.cause, failure.hint = "random", RANDOM, RANDOM_HINT
        raise


def parameter_gradients(answer: Response, names: Sequence[str] | Mapping[str, Any]) -> list[Tensor | None]:
    """Return the gradients with respect to the student's parameters that these names refer to."""
    gradients = answer.parameter_gradients
    return [next((gradients[key] for key in matching(name, gradients)), None) for name in names]


def sample(name: str, like: Tensor, draw: Any) -> Tensor:
    """Draw weights that reveal mistakes: matrices that give results of order 1, vectors with entries far from 0 and 1."""
    if like.dim() >= 2:
        return draw.normal(*like.shape, scale=like[0].numel() ** -0.4)
    return draw.normal(*like.shape, scale=0.4) + (1.0 if name.endswith("gamma") else 0.0)


def _shapes(values: Sequence[Any]) -> list[Any]:
    return [x.shape if isinstance(x, Tensor) else None for x in values]


def no_side_effects(
    twins: ModulePair, others: Sequence[tuple], *inputs: Any, what: Sequence[str], masked: tuple = ()
) -> None:
    """Compare a call with the reference before and after the module has processed other inputs.

    A result that is wrong already before is reported only as a wrong value. ``masked``: inputs with a mask for one more call in
    between; its result is not compared.
    """
    # Inputs of the same shape come last, so that a cache for this shape is still filled.
    others = sorted(others, key=lambda arguments: _shapes(arguments) == _shapes(inputs))
    _unaffected(twins, [*others, masked] if masked else others, inputs, what)
    for call in others:  # caches for this kind of call only
        _unaffected(twins, [tuple(map(_with_other_numbers, call))], call, what)


def _with_other_numbers(value: Any) -> Any:
    """Return an argument of the same shape with other numbers; a mask hides other positions, but as many in each row."""
    if not isinstance(value, Tensor):
        return value
    return value.square() + 0.5 if value.is_floating_point() else value.roll(1, -1)


def _unaffected(twins: ModulePair, earlier: Sequence[tuple], inputs: tuple, result_names: Sequence[str]) -> None:
    actual = twins.module.when(before=earlier).request(*inputs).value
    with torch.no_grad():
        expected = twins.reference(*inputs)
    try:
        alike(actual, expected, result_names, 4.0, "after calls of the same module with other inputs")
    except CheckFailure as failure:
        if equal(actual, twins.module(*inputs)):
            failure.setting = ""
            raise
        failure.kind, failure.cause = "memory", "remembers earlier calls"
        failure.hint = (
            "Something computed in an earlier call is kept and used again. Compute it from the inputs in every call."
        )
        raise
