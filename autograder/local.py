"""A student whose code lives in this process: in the student's own notebook, or in a worker that ran the notebook."""

import ast
import contextlib
import difflib
import inspect
import re
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder import forbidden, measure
from autograder.failure import CheckFailure, nothing_returned
from autograder.files import files_in
from autograder.student import Answer, Made, Request, Seeded, StudentModule, copy_tensor, matching

_HERE = files_in(".")


class LocalStudent:
    """Answers requests with the functions and classes of ``namespace``.

    ``forbid`` names the ready-made functions, such as ``torch.nn.functional.scaled_dot_product_attention``, that the
    lesson does not allow; a call that reaches one of them fails. ``deep=False`` leaves out the slow look below Python.
    ``file`` reads what was handed in beside the notebook; by default, what lies in the current folder.
    """

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        forbid: tuple[str, ...] = (),
        deep: bool = True,
        file: Callable[[str], bytes | None] = _HERE,
    ):
        self.namespace = namespace
        self.file = file
        self.forbid = forbid
        self.deep = deep
        # Inputs stay alive, so that no two of them ever have the same address: whether an answer that remembers results by
        # address is caught must not depend on where the memory allocator happens to put the next tensor.
        self._kept: list[Any] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``student.softmax(E, dim=0)`` calls the student's ``softmax``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.call(name, *args, **kwargs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.answer(Request(name, args, kwargs)).value

    def build(self, name: str, *args: Any, weights: Mapping[str, Tensor] | None = None) -> StudentModule:
        """Return the student's module ``name(*args)`` with ``weights`` loaded by name."""
        return StudentModule(self, name, args, weights)

    def forbidden_use(self, name: str) -> CheckFailure | None:
        try:
            return forbidden.mentions(inspect.getsource(self.namespace[name]), self.namespace, self.forbid)
        except (KeyError, OSError, TypeError, SyntaxError):
            return None  # no source, or a lambda inside a larger expression; what it calls is still stopped when it is called

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that the student's ``exercise`` or what it calls mentions; without a source, all."""
        return mentioned(exercise, list(names), self._source)

    def _source(self, name: str) -> str | None:
        thing = self.namespace.get(name)
        if not inspect.isroutine(thing) and not inspect.isclass(thing):
            return ""
        try:
            return inspect.getsource(thing)
        except (OSError, TypeError):
            return None

    @contextlib.contextmanager
    def with_right(self, names: Iterable[str], right: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Put right versions in place of the student's exercises, also as base classes of the student's other classes.

        They are taken from ``right``, or else from the references.
        """
        if right is None:
            from autograder import references

            right = references.namespace()
        saved = {name: self.namespace[name] for name in names if name in self.namespace}
        heirs = [
            (thing, thing.__bases__)
            for thing in self.namespace.values()
            if isinstance(thing, type)
            and set(thing.__bases__) & {old for old in saved.values() if isinstance(old, type)}
        ]
        replaced = {id(old): right[name] for name, old in saved.items()}
        self.namespace.update({name: right[name] for name in names})
        for heir, bases in heirs:
            heir.__bases__ = tuple(replaced.get(id(base), base) for base in bases)
        try:
            yield
        finally:
            for heir, bases in heirs:
                heir.__bases__ = bases
            for name in names:
                self.namespace.pop(name)
            self.namespace.update(saved)

    def timed(self, name: str) -> Callable[..., Any]:
        function = self._find(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            made = [self._find(arg.name)(**arg.kwargs) if isinstance(arg, Made) else arg for arg in args]
            self._keep(made)
            with watch(name):
                return function(*made, **kwargs)

        return call

    def time_ratio(
        self, name: str, fresh: Callable[[], tuple], thresholds: Sequence[float], rounds: tuple[int, int], **kwargs: Any
    ) -> measure.Ratio:
        from autograder import references

        call, ready = self.timed(name), getattr(references, name)
        return measure.time_ratio(
            lambda *x: call(*x, **kwargs), lambda *x: ready(*x, **kwargs), fresh, thresholds, rounds
        )

    def peak_memory(self, name: str, *args: Any, **kwargs: Any) -> int:
        from course_lib.devices import peak_memory

        call = self.timed(name)
        return peak_memory(lambda: call(*args, **kwargs))

    def work_ratio(self, name: str, inputs: tuple, part: Mapping[str, Any], whole: Mapping[str, Any]) -> float:
        return self.work(name, *inputs, **part) / max(self.work(name, *inputs, **whole), 1)

    def work(self, name: str, *args: Any, **kwargs: Any) -> int:
        return measure.work(self.timed(name), *args, **kwargs)

    def answer(self, request: Request) -> Answer:
        target = self._find(request.name)
        args = tuple(self._argument(arg, request) for arg in request.args)
        kwargs = {key: self._argument(value, request) for key, value in request.kwargs.items()}
        self._keep((*args, *kwargs.values()))
        value, deep = None, request.deep and self.deep and bool(self.forbid)
        elsewhere = torch.device(request.default_device) if request.default_device else contextlib.nullcontext()
        with watch(request.name), forbidden.unavailable(self.forbid), torch.enable_grad(), elsewhere:
            if request.build is not None:
                target = _build(target, tuple(self._argument(arg, request) for arg in request.build), request)
            for earlier in request.before:
                target(*(self._argument(arg, request) for arg in earlier))
            for _ in range(request.times):
                value = (
                    forbidden.below_python(lambda: target(*args, **kwargs), self.forbid)
                    if deep
                    else target(*args, **kwargs)
                )
        answer = Answer(value, args)
        if isinstance(target, nn.Module):
            answer.parameters = dict(target.named_parameters())
        if request.cotangents is not None:
            _add_gradients(answer, request)
        return answer

    def _keep(self, inputs: Iterable[Any]) -> None:
        self._kept += [x for x in inputs if isinstance(x, Tensor) and x.numel() < 10**5]

    def _argument(self, value: Any, request: Request) -> Any:
        """Copy the tensors in an argument, and make what is to be made. With gradients wanted, they are recorded for floats."""
        if isinstance(value, Made):
            return self._find(value.name)(**value.kwargs)
        if isinstance(value, Seeded):
            return torch.Generator().manual_seed(value.seed)
        if isinstance(value, tuple | list):
            items = [self._argument(item, request) for item in value]
            return items if isinstance(value, list) else tuple(items)
        return _leaf(value, request)

    def _find(self, name: str) -> Callable[..., Any]:
        if name not in self.namespace:
            similar = difflib.get_close_matches(
                name, [key for key in self.namespace if not key.startswith("_")], 1, 0.85
            )
            raise CheckFailure(
                "missing",
                f"There is no {name} in this notebook yet.",
                hint=f"There is a {similar[0]}: is the name mistyped?"
                if similar
                else "Run the cell that defines it, or look for an error message under that cell.",
                cause="not defined",
            )
        target = self.namespace[name]
        if not callable(target):
            raise CheckFailure(
                "missing",
                f"{name} is not a function or a class.",
                yours=f"a {type(target).__name__}",
                cause="not defined",
            )
        return target


def mentioned(exercise: str, names: list[str], source: Callable[[str], str | None]) -> list[str]:
    """Return those of ``names`` that ``exercise`` mentions, directly or by way of other things whose ``source`` is known."""
    first = source(exercise)
    if not first:
        return names
    words = _names(first)
    waiting = list(words - {exercise})
    while waiting:
        found = _names(source(waiting.pop()) or "") - words
        words |= found
        waiting += found
    return [name for name in names if name in words]


def _names(text: str) -> set[str]:
    """Return the names that a source uses by themselves: ``softmax``, but not ``torch.softmax``."""
    try:
        return {node.id for node in ast.walk(ast.parse(textwrap.dedent(text))) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError):
        return set(re.findall(r"\w+", text))


@contextlib.contextmanager
def watch(name: str) -> Iterator[None]:
    """Turn whatever the student's code raises into a failure that shows the student's own line."""
    try:
        yield
    except (KeyboardInterrupt, CheckFailure):
        raise
    except NotImplementedError as error:
        if error.__traceback__ is None or not _from_stub(error):
            raise _crash(name, error) from None
        raise _unwritten(name, error) from None
    except BaseException as error:
        raise _crash(name, error) from None


def _unwritten(name: str, error: BaseException) -> CheckFailure:
    """The stub is still there. In an exercise of several pieces, say which one."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    piece = f" ({last.name})" if last.name not in (name, "__init__", "forward", "<module>") else ""
    return CheckFailure(
        "unwritten",
        f"Not written yet{piece}. {error}".strip(),
        cause="not written yet",
        hint="If you have written it: the line raise NotImplementedError(...) is still there. Take it out.",
    )


def _from_stub(error: BaseException) -> bool:
    """Tell the stub's own ``raise NotImplementedError`` from PyTorch's 'not implemented for this dtype'."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "NotImplementedError" in (last.line or "NotImplementedError") and "site-packages" not in last.filename


def _crash(name: str, error: BaseException) -> CheckFailure:
    frames = traceback.extract_tb(error.__traceback__)
    ours = ("site-packages", "/autograder/", "/course_lib/")
    own = [f for f in frames if not any(part in f.filename.replace("\\", "/") for part in ours)]
    where = f" in line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""
    text = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return CheckFailure("crash", f"{name} stopped with an error{where}", yours=text, received=text)


def _leaf(value: Any, request: Request) -> Any:
    """Copy a tensor argument; with gradients wanted, make the copy of a floating tensor a leaf that records them."""
    if not isinstance(value, Tensor):
        return value
    copy = copy_tensor(value)
    return copy.requires_grad_() if request.cotangents is not None and copy.is_floating_point() else copy


def _build(cls: Any, args: tuple, request: Request) -> nn.Module:
    module = cls(*args)
    if not isinstance(module, nn.Module):
        raise CheckFailure(
            "type",
            f"{request.name}(...) should make an nn.Module.",
            yours=f"a {type(module).__name__}",
            cause="not a module",
        )
    if request.weights:
        _load(module, request.name, request.weights)
    return module.train(request.training)


def _load(module: nn.Module, name: str, weights: Mapping[str, Tensor]) -> None:
    """Copy the weights into the parameters whose names end in the given names, and take over their dtype."""
    own = _by_name(module)
    meant = {key: matching(key, own) for key in weights}
    for key, tensor in weights.items():
        if not meant[key]:
            raise CheckFailure(
                "parameters", f"{name} has no parameter {key}.", expected=", ".join(weights),
                yours=", ".join(own) or "no parameters", received=sorted(own),
            )  # fmt: skip
        shape = tuple(own[meant[key][0]].shape)
        if shape != tensor.shape:
            raise CheckFailure(
                "parameters", f"The parameter {key} of {name} has another shape.", expected=str(tuple(tensor.shape)),
                yours=str(shape), received=[*shape],
            )  # fmt: skip
    for key, parameter in own.items():
        if key.endswith(
            "bias"
        ):  # one too many is told by the check of the parameters, and need not spoil all the others
            nn.init.zeros_(parameter)
    module.to(next(iter(weights.values())).dtype)
    own = _by_name(module)
    with torch.no_grad():
        for key, tensor in weights.items():
            own[meant[key][0]].copy_(tensor)


def _add_gradients(answer: Answer, request: Request) -> None:
    if answer.value is None:
        raise nothing_returned()
    outputs = answer.value if isinstance(answer.value, tuple | list) else [answer.value]
    pairs = list(zip(outputs, request.cotangents or (), strict=False))
    if not any(isinstance(out, Tensor) and out.requires_grad for out, _ in pairs):
        raise CheckFailure(
            "detached",
            f"No gradient flows back through {request.name}.",
            cause="no gradient",
            hint="The result has lost its history. Look for .detach(), .data, .item(), .numpy(), torch.tensor(...) or "
            "torch.no_grad() on the way from the inputs to the result.",
        )
    for out, cotangent in pairs:
        if isinstance(out, Tensor) and out.shape != cotangent.shape:
            raise CheckFailure(
                "shape",
                f"A result of {request.name} has the wrong shape.",
                expected=str(tuple(cotangent.shape)),
                yours=str(tuple(out.shape)),
                received=list(out.shape),
            )
    wanted = [arg for arg in answer.args_after if isinstance(arg, Tensor) and arg.requires_grad]
    flowing = [(out * cotangent).sum() for out, cotangent in pairs if isinstance(out, Tensor) and out.requires_grad]
    with watch(f"the backward pass through {request.name}"):
        found = torch.autograd.grad(flowing, [*wanted, *answer.parameters.values()], allow_unused=True)
    answer.gradients = list(found[: len(wanted)])
    answer.parameter_gradients = dict(zip(answer.parameters, found[len(wanted) :], strict=True))


def _by_name(module: nn.Module) -> dict[str, Tensor]:
    """Return parameters and buffers by name; a shared one is known by all its names."""
    return dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
