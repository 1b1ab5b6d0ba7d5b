"""Properties of a call: structure of the result, statelessness, device independence, rejected inputs.

Device independence is tested with the device "meta", which exists on every machine; its tensors hold no numbers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.checks import expect
from autograder.checks.expect import kind, numbers, says
from autograder.checks.inputs import Draw
from autograder.runtime.errors import CheckFailure, no_return
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Request, Response, Student, StudentModule


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return torch.equal(a, b) or torch.allclose(a, b, equal_nan=True)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b)


def alike(got: Any, want: Any, what: Sequence[str], size: float, setting: str) -> None:
    """Compare a result with the reference's: a tensor, a tuple, or a pair with one or several tensors as its second part."""
    if isinstance(want, Tensor):
        expect.allclose(expect.tensor(got, what[0]), want, what[0], size=size, setting=setting)
        return
    if len(want) > 2:
        _close(zip(all_of(got, what), want, what, strict=True), size, setting)
        return
    first, second = want
    second_name = what[1] if isinstance(second, Tensor) else f"({', '.join(what[1:])})"
    actual_first, actual_second = pair(got, what[0], second_name)
    rest: Iterable[tuple[Any, Tensor, str]] = [(actual_second, second, what[1])]
    if not isinstance(second, Tensor):
        rest = zip(tuple_of(actual_second, len(second), second_name), second, what[1:], strict=True)
    _close([(actual_first, first, what[0]), *rest], size, setting)


def _close(pairs: Iterable[tuple[Any, Tensor, str]], size: float, setting: str) -> None:
    """Compare results by name. Weights come first, since wrong weights also make the outputs wrong."""
    for value, expected, name in sorted(pairs, key=lambda pair: not pair[2].startswith("A")):
        expect.allclose(expect.component(value, name), expected, name, size=size, setting=setting)


def all_of(value: Any, what: Sequence[str]) -> list[Tensor]:
    """Return the tensors of a call, one for each name in ``what``, or fail."""
    if not isinstance(value, tuple | list) or len(value) != len(what):
        if value is None:
            raise no_return()
        message, cause = f"{len(what)} results are expected, ({', '.join(what)}).", "wrong number of results"
        raise CheckFailure("type", message, yours=kind(value), received=kind(value), cause=cause)
    return [expect.component(result, name) for result, name in zip(value, what, strict=True)]


def pair(value: Any, first: str, second: str) -> tuple[Any, Any]:
    """Return the two parts of a pair, the second of which may be several tensors, or fail."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        expect.pair(value, first, second)  # raises the appropriate failure
    return value[0], value[1]


def tuple_of(value: Any, count: int, what: str) -> Sequence[Any]:
    """Return a tuple or list of ``count`` results, or fail."""
    if not isinstance(value, tuple | list) or len(value) != count:
        actual = f"{len(value)} things" if isinstance(value, tuple | list) else f"a {type(value).__name__}"
        grown = isinstance(value, tuple | list) and len(value) > count > 0 and len(value) % count == 0
        again = (
            " If those of an earlier call come first, create the list in forward, so that it is new in each call."
            if grown
            else ""
        )
        raise CheckFailure(
            "type",
            f"The second result should be {what}.",
            expected=f"{count} tensors",
            yours=actual,
            received=actual,
            cause="wrong number of results",
            hint=f"Return a pair whose second part holds {count} tensors, {what}.{again}",
        )
    return value


def no_weights(value: Any) -> None:
    """Fail unless this is an empty list, as need_weights=False requires."""
    if isinstance(value, list | tuple) and not len(value):
        return
    raise CheckFailure(
        "type",
        "There should be no weights with need_weights=False.",
        expected="an empty list",
        yours=f"{len(value)} of them" if isinstance(value, list | tuple) else f"a {type(value).__name__}",
        received="weights",
        cause="need_weights not passed on",
        hint="Pass need_weights on: without the weights, attention takes a faster path.",
    )


def describe(*inputs: Any) -> str:
    """Format the shapes and the dtype of the inputs."""
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    return f"inputs {', '.join(str(tuple(x.shape)) for x in tensors)}" + (f", {tensors[0].dtype}" if tensors else "")


def raises_value_error(
    what: str, hint: str, call: Callable[..., Any], *args: Any, error: str = "ValueError", sentence: bool = False
) -> str:
    """Fail unless ``call(*args)`` raises this ``error`` (any if "") in the student's own code; return its text.

    ``sentence``: the error must have a message.
    """
    try:
        result = call(*args)
    except CheckFailure as failure:
        # A cause means that the process was stopped. NotImplementedError is a refusal: callers know that this is not the stub.
        if failure.kind not in ("unwritten", "crash") or (failure.cause and failure.kind == "crash"):
            raise
        return _as_asked_for(str(failure.received or "NotImplementedError"), what, hint, error, sentence)
    if isinstance(result, BaseException):
        raise CheckFailure(
            "accepted",
            f"{says(what, 'is')} answered with an error that is returned, not raised.",
            expected=f"raise {error or 'ValueError'}(...)",
            yours=f"return {type(result).__name__}(...)",
            received="returned",
            cause="an error returned, not raised",
            hint="An error that is returned is a result like any other, and the caller goes on with it. raise stops the call.",
        )
    raise CheckFailure(
        "accepted",
        f"{says(what, 'is')} accepted without an error.",
        expected=f"a {error}" if error else "an error",
        yours="no error",
        received=what,
        cause="bad argument accepted",
        hint=hint,
    )


def _as_asked_for(raised: str, what: str, hint: str, error: str, sentence: bool) -> str:
    """Return the text of a raised error if it has the requested type and, where required, a message."""
    if error and error not in raised.partition(":")[0]:
        raise CheckFailure(
            "error type",
            f"{what} raises a different error from the one that the exercise asks for.",
            expected=f"a {error}",
            yours=raised,
            received=raised.partition(":")[0],
            cause="not refused with the error asked for",
            hint=f"{hint} Callers catch only the error that a function promises. Did you test for this case, or did later "
            "code fail by itself?",
        ) from None
    if sentence and not raised.partition(":")[2].strip():
        raise CheckFailure(
            "error type",
            f"{what} raises an error without a message.",
            expected=f"a {error} with a sentence",
            yours=raised,
            received="no sentence",
            cause="an error without a sentence",
            hint="Say what was expected and what came: raise ValueError(f'expected ..., got {...}').",
        ) from None
    return raised


def same_twice(module: StudentModule, *inputs: Any) -> None:
    """Fail unless two calls in training mode give the same first result."""
    first, second = (first_of(module.when(training=True, times=n)(*inputs)) for n in (1, 2))
    # The inputs of the two calls have different memory orders, so sums round differently.
    slack = expect.tolerance(first.dtype, float(first.detach().abs().max()))
    if first.shape != second.shape or not torch.allclose(first, second, rtol=0.0, atol=slack, equal_nan=True):
        raise CheckFailure(
            "random",
            "The same module gives different results for the same input.",
            received="random",
            cause="result changes from call to call",
            hint="Without dropout nothing here is random or remembers earlier calls.",
        )


def uses_its_inputs(module: StudentModule, first: tuple, second: tuple) -> None:
    """Fail if the module gives the same first result for two different inputs. Raises ValueError for equal inputs."""
    if equal(first, second):
        raise ValueError("these inputs are the same: draw the second ones so that they cannot be")
    first_result, second_result = (first_of(module(*inputs)) for inputs in (first, second))
    expect.depends_on_its_inputs(first_result, second_result, "The result")


def first_of(value: Any, what: str = "The first result") -> Tensor:
    """Return the first of several results, or the only result."""
    return expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, what)


def computed(value: Tensor, given: Tensor, what: str, name: str) -> None:
    """Fail if a call has returned its input unchanged, which would keep shape, dtype and numbers without any work."""
    if value.shape == given.shape and torch.equal(value, given):
        raise CheckFailure(
            "constant",
            f"{says(what, 'is')} {name} itself.",
            yours=numbers(value),
            received="unchanged",
            cause="nothing computed",
            hint=f"The argument {name} is returned unchanged. Return the result instead.",
        )


def sees_what_came_before(last: Tensor, other: Tensor, what: str, setting: str = "") -> None:
    """Fail if the result at the last position does not change with the inputs at an earlier one.

    A check that later inputs change nothing would also pass if every position saw only itself.
    """
    if last.shape == other.shape and torch.allclose(last, other, rtol=1e-9, atol=1e-9):
        raise CheckFailure(
            "constant",
            f"{what} at the last position does not change with the input at the first.",
            setting=setting,
            yours=numbers(last),
            received="constant",
            cause="does not depend on what came before",
            hint="Every position attends to itself and to all before it. Does the attention reach the result?",
        )


def computes(call: Callable[..., Any], inputs: tuple, others: tuple, what: str) -> None:
    """Fail unless valid arguments give a result that depends on them; refusing invalid ones counts only then.

    The numbers are left to other checks.
    """
    first, second = (first_of(call(*arguments), what) for arguments in (inputs, others))
    expect.depends_on_its_inputs(first, second, what)


def is_stateless(
    student: Student,
    name: str,
    reference: Callable[..., Tensor],
    inputs: Sequence[Tensor],
    draw: Draw,
    first: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Compare a call with the reference, on its own and after two calls with other numbers in the same tensors.

    ``first`` extracts the tensor to compare from the student's result.
    """
    expected = reference(*inputs)
    expect.allclose(expect.tensor(first(student.call(name, *inputs)), "Y"), expected, "Y", setting="the first call")
    other_inputs = tuple(tuple(draw.normal(*x.shape, dtype=x.dtype) for x in inputs) for _ in range(2))
    value = first(student.answer(Request(name, tuple(inputs), before=other_inputs)).value)
    try:
        expect.allclose(expect.tensor(value, "Y"), expected, "Y", setting="the same tensors, new numbers")
    except CheckFailure as failure:
        failure.kind, failure.cause = "memory", "results remembered"
        failure.hint = (
            "The first call was right; a later one uses what was computed before. Compute every call from its inputs."
        )
        raise


#: Parts of PyTorch's messages about tensors on different devices.
_MIXED = ("is not on the expected device", "to be on the same device")


def mixes_devices(failure: CheckFailure) -> bool:
    """Return whether the student's code stopped at an operation on tensors of two devices."""
    return failure.kind == "crash" and any(part in str(failure.received) for part in _MIXED)


def works_where_its_inputs_are(module: StudentModule, *inputs: Any, training: bool = False) -> None:
    """Fail if the module, moved to another device together with its inputs, creates a tensor on the old one.

    Other errors do not count: code that reads numbers cannot run on this device.
    """
    moved = module.when(device="meta", training=training)
    _stays_there(lambda: moved.request(*inputs), "the module and its inputs")


def function_works_where_its_inputs_are(student: Student, name: str, *inputs: Any) -> None:
    """Fail if the function creates a tensor on a device other than that of its inputs."""
    _stays_there(lambda: student.answer(Request(name, inputs, device="meta")), "the inputs")


def function_gradients_agree(
    student: Student, name: str, args: tuple, reference: Callable[..., Tensor], cotangent: Tensor, names: Sequence[str]
) -> None:
    """Compare the gradients of Σ result · cotangent with respect to the floating-point tensors among the arguments."""
    leaves = [x.clone().requires_grad_() if _is_real(x) else x for x in args]
    real_leaves = [x for x in leaves if _is_real(x)]
    expected = torch.autograd.grad((reference(*leaves) * cotangent).sum(), real_leaves)
    received = student.answer(Request(name, args, cotangents=(cotangent,))).gradients
    expect.gradients(received, expected, names, f"{names[0]} {tuple(real_leaves[0].shape)}")


def _is_real(x: Any) -> bool:
    return isinstance(x, Tensor) and x.is_floating_point()


def _stays_there(carry_out: Callable[[], Response], moved: str) -> None:
    try:
        value = carry_out().value
    except CheckFailure as failure:
        if mixes_devices(failure):
            raise _left_behind("a tensor on the CPU meets one that was moved", moved) from None
        return
    if any(x.device.type != "meta" for x in tensors_of(value)):
        raise _left_behind("a result on the CPU", moved)


def _left_behind(yours: str, moved: str) -> CheckFailure:
    return CheckFailure(
        "device",
        f"Some tensors stay on the CPU when {moved} are moved to another device.",
        setting=f'{moved} moved to the device "meta"',
        expected="everything where the inputs are",
        yours=yours,
        received="device",
        cause="device ignored",
        hint="On a GPU this stops with an error. Create tensors such as a mask or positions on the device of an "
        "input, device=X.device; those created in __init__ move with the module if they are parameters or buffers "
        "(register_buffer).",
    )


@dataclass(frozen=True)
class Repetition:
    """A training run repeated with several seeds: its cells, the replacements in their text, and the values to measure.

    Each of ``cells`` is a piece of text that occurs in exactly one cell of the lesson's source; the cells run in the notebook's
    order. ``replace`` maps pieces of their text to replacements, and ``first`` is code that runs before them; ``{seed}`` stands
    for the seed in both. ``values`` maps names to expressions, evaluated afterwards. ``seeds``: the seeds; fewer or others where
    one run includes several.
    """

    name: str
    cells: tuple[str, ...]
    values: Mapping[str, str]
    replace: Mapping[str, str] = field(default_factory=dict)
    first: str = ""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
