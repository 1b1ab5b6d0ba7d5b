"""Assertions that report the expected value, the received value, and where the two first differ."""

import math
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor

from autograder.checks.matrix_view import Matrix
from autograder.runtime.errors import CheckFailure, missing_result, no_return

_PLURAL = {"has": "have", "is": "are", "does": "do", "holds": "hold"}
#: Matches what follows the noun of a name: "the bits per byte" are bits, and "A of block 0" is an A.
_AFTER = re.compile(r"\s*(?:[(\[,].*|\b(?:of|per|in|for|from|with|at|that|which)\b.*)", re.DOTALL)


def says(what: str, verb: str) -> str:
    """Return ``what`` followed by the verb ("has", "is", "does", "holds") in the matching number, singular or plural."""
    return f"{what} {_PLURAL[verb] if is_plural(what) else verb}"


def is_plural(what: str) -> bool:
    """Return whether a name is plural: its noun ends with a single s. Letters such as A or K are singular."""
    words = _AFTER.sub("", what, count=1).split()
    if not words or words[0].startswith("d/d") or words[0].lower() in ("a", "an", "one", "each", "every", "no"):
        return False
    noun = words[-1]
    return "and" in words or (
        len(noun) > 2 and noun.islower() and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "bias"))
    )


def scalar(value: Any, what: str, setting: str = "") -> float:
    """Return ``value`` as a float, or fail with a description of the value received."""
    if value is None:
        raise no_return()
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, float | int):
        shape = f" of shape {tuple(value.shape)}" if isinstance(value, Tensor) else ""
        raise CheckFailure(
            "type",
            f"{what} should be one number.",
            setting=setting,
            yours=f"a {type(value).__name__}{shape}",
            received=type(value).__name__,
            cause="not a float",
            hint="Combine everything that counts into one number; .item() makes it a plain float.",
        )
    return float(value)


def close_numbers(got: Mapping[str, float], want: Mapping[str, float], message: str, setting: str = "") -> None:
    """Fail unless the numbers in two dictionaries are equal, name by name, up to the rounding of float32."""
    if all(math.isclose(got[name], number, rel_tol=1e-5, abs_tol=1e-5) for name, number in want.items()):
        return
    alone = len(want) == 1
    texts = [
        ", ".join(f"{numbers[name]:.4f}" if alone else f"{name} {numbers[name]:.4f}" for name in want)
        for numbers in (want, got)
    ]
    raise CheckFailure(
        "value",
        message,
        setting=setting,
        expected=texts[0],
        yours=texts[1],
        received=torch.tensor([got[name] for name in want], dtype=torch.float64),
        wanted=torch.tensor([want[name] for name in want], dtype=torch.float64),
    )


#: Largest difference attributed to rounding, as a multiple of the dtype's machine epsilon: for sums of a few dozen terms
#: of order 1, measured errors stay below 30 epsilon (float32, float64) and below 6 (bfloat16, where weights are rounded).
_EPSILONS = {torch.float64: 4000, torch.float32: 400, torch.bfloat16: 12, torch.float16: 24}

#: The same for intermediate float32 values in a float64 computation: a constant such as torch.tensor(5).sqrt().
_ON_THE_WAY = 16
#: Such intermediate values are at most this many times as large as the largest expected value.
_WIDEST = 100.0

#: Differences in the running check that only such a constant explains: they cost points once, not in each check.
IMPRECISE: ContextVar[list[CheckFailure] | None] = ContextVar("differences of the check that runs", default=None)

#: The measurements of the running check, such as a ratio of times, to be shown in the row of a passed check.
MEASURED: ContextVar[list[str] | None] = ContextVar("what the check that runs has measured", default=None)

HALF = (torch.float16, torch.bfloat16)


def met(failure: CheckFailure) -> None:
    """Record a measurement that met its target. ``failure`` is the exception for a measurement that misses it."""
    notes = MEASURED.get()
    if notes is not None:
        notes.append(f"measured: {failure.yours}; asked for: {failure.expected}")


def tolerance(dtype: torch.dtype, size: float = 1.0) -> float:
    """Return the largest difference attributed to rounding, for values up to ``size``, in this dtype."""
    return _EPSILONS[dtype] * torch.finfo(dtype).eps * max(size, 1.0)


def difference_failure(got: Tensor, want: Tensor, wrong: Tensor, what: str, setting: str, message: str) -> CheckFailure:
    worst = (got - want).abs()
    largest = "not a number" if bool(worst.isnan().any()) else f"{worst.max().item():.3g}"
    where, row = first_wrong_row(wrong)
    expected, yours = side_by_side(want[row], got[row], wrong[row])
    failure = CheckFailure(
        "value",
        message or f"{says(what, 'has')} wrong values.",
        expected=f"{what}{where} = {expected}",
        yours=f"{what}{where} = {yours}     largest difference {largest}",
        setting=setting,
        received=got,
        wanted=want,
    )
    if got.dim() >= 2 and got.shape[-1] <= 20 and got.shape[-2] <= 20 and what.startswith("A"):
        index = row[:-1]
        failure.picture = Matrix(got[index], want[index], wrong[index], f"{what}{where.rpartition('[')[0]}")
    return failure


def first_wrong_row(wrong: Tensor) -> tuple[str, tuple[int, ...]]:
    if wrong.dim() < 2:
        return "", ()
    first = tuple(int(i) for i in wrong.any(-1).nonzero()[0])
    return "[" + ", ".join(map(str, first)) + "]", first


def side_by_side(want: Tensor, got: Tensor, wrong: Tensor, most: int = 6) -> tuple[str, str]:
    """Format two vectors as text, from the first True in ``wrong`` on and with enough digits to show the difference."""
    first = int(wrong.reshape(-1).nonzero()[0]) if bool(wrong.any()) else 0
    begin = first - 1 if first >= most else 0
    for digits in (3, 5, 8):
        texts = numbers(want, most, begin, digits), numbers(got, most, begin, digits)
        if texts[0] != texts[1]:
            break
    return texts


def numbers(values: Tensor, most: int = 6, begin: int = 0, digits: int = 3) -> str:
    """Format at most ``most`` entries of a vector as text, beginning with entry ``begin``."""
    flat = values.detach().reshape(-1)
    entries = ", ".join(
        f"{x:.{digits}f}" if 10.0**-digits <= abs(x) < 1e4 or x == 0 else f"{x:.{digits - 1}e}"
        for x in flat[begin : begin + most].tolist()
    )
    return f"[ {'…, ' if begin else ''}{entries}{', …' if flat.numel() > begin + most else ''} ]"


def kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return f"{len(value)} results ({', '.join(type(v).__name__ for v in value[:4])})"
    return f"a {type(value).__name__}"


def tensor(value: Any, what: str) -> Tensor:
    """Return ``value``, or fail unless it is a tensor."""
    if value is None:
        raise no_return()
    if not isinstance(value, Tensor):
        hint = ""
        if isinstance(value, tuple | list):
            hint = (
                f"{what[:1].upper()}{what[1:]} should be one tensor, not {len(value)} values. Are they its parts, "
                "which torch.stack joins, or additional results?"
            )
        raise CheckFailure(
            "type",
            f"{what} should be a tensor.",
            yours=kind(value),
            received=kind(value),
            cause="not a tensor",
            hint=hint,
        )
    return value


def pair(value: Any, first: str, second: str) -> tuple[Tensor, Tensor]:
    """Return the two tensors of a pair (a tuple, a list or a named tuple), or fail."""
    if value is None:
        raise no_return()
    if not isinstance(value, tuple | list) or len(value) != 2:
        single = isinstance(value, Tensor)
        raise CheckFailure(
            "type",
            f"Two results are expected, ({first}, {second}).",
            yours=kind(value),
            received=kind(value),
            cause="only one result returned" if single else "wrong number of results",
            hint=f"Return both, in this order: return {first}, {second}",
        )
    return component(value[0], first), component(value[1], second)


def component(value: Any, what: str) -> Tensor:
    """Return one of several results, or fail unless it is a tensor."""
    if value is None:
        raise missing_result(what)
    return tensor(value, what)


def shape(value: Tensor, expected: Sequence[int], what: str, meaning: str, setting: str = "") -> None:
    """Fail unless ``value`` has the expected shape; ``meaning`` is the shape in letters, such as ``(N_Q, D_V)``."""
    if tuple(value.shape) != tuple(expected):
        raise CheckFailure(
            "shape",
            f"{says(what, 'has')} the wrong shape.",
            expected=f"{tuple(expected)} = {meaning}",
            yours=str(tuple(value.shape)),
            setting=setting,
            received=list(value.shape),
        )


def dtype(value: Tensor, expected: torch.dtype, what: str, setting: str = "") -> None:
    """Fail unless ``value`` has the expected dtype."""
    if value.dtype != expected:
        raise CheckFailure(
            "dtype",
            f"{says(what, 'has')} a different dtype from the inputs.",
            expected=str(expected),
            yours=str(value.dtype),
            setting=setting,
            received=str(value.dtype),
            cause="dtype not kept",
            hint="Look for tensors made without a dtype (torch.zeros, torch.ones, torch.tensor), and for a .float() "
            "that is never undone. Take the dtype from the inputs.",
        )


def boolean(value: Tensor, what: str, setting: str = "") -> None:
    """Fail unless ``value``, a mask, is a tensor of booleans."""
    if value.dtype != torch.bool:
        # 0 and 1, or 0 and -inf: known mistakes differ in these.
        values = sorted(set(value.flatten().tolist()), key=str)[:4]
        raise CheckFailure(
            "dtype",
            f"{what} should be a tensor of True and False.",
            setting=setting,
            expected="torch.bool",
            yours=str(value.dtype),
            received=f"{value.dtype}, holding {values}",
            cause="mask is not boolean",
            hint="A mask selects: it is True where something is allowed or kept. Numbers would be added or "
            "multiplied instead. Make the mask by a comparison.",
        )


def allclose(
    value: Tensor,
    expected: Tensor,
    what: str,
    *,
    size: float = 1.0,
    setting: str = "",
    message: str = "",
    inputs: torch.dtype = torch.float32,
) -> None:
    """Fail unless ``value`` equals ``expected`` (computed in float64) up to the rounding of ``value``'s dtype.

    Half precision excuses no rounding unless the ``inputs`` have it too; otherwise float64's tolerance applies.
    """
    shape(value, expected.shape, what, "as expected", setting)
    if value.is_complex() or not value.is_floating_point():
        raise CheckFailure(
            "dtype",
            f"{what} should hold real floating-point numbers.",
            yours=str(value.dtype),
            received=str(value.dtype),
            cause="dtype not kept",
        )
    value64, expected64 = value.detach().to("cpu", torch.float64), expected.detach().to("cpu", torch.float64)
    difference = (value64 - expected64).abs()
    rounded = torch.float64 if value.dtype in HALF and inputs not in HALF else value.dtype
    wrong = ~(difference <= tolerance(rounded, size))
    if not wrong.any():
        return
    failure, imprecisions = difference_failure(value64, expected64, wrong, what, setting, message), IMPRECISE.get()
    # A tolerance that is wide for float64 (of a loss: 1e7) must not become one of whole numbers in float32.
    widest = (
        _WIDEST * max(1.0, float(expected64[expected64.isfinite()].abs().max()))
        if bool(expected64.isfinite().any())
        else 1.0
    )
    single = _ON_THE_WAY * torch.finfo(torch.float32).eps * min(max(size, 1.0), widest)
    # What is 0, such as the weight of a hidden key, is 0 in float32, too; sums that are 0 but for rounding are not.
    sums = 0 < float(expected64.abs().max()) <= tolerance(torch.float64, size)
    if (
        imprecisions is None
        or value.dtype != torch.float64
        or not (~wrong | ((difference <= single) & ((expected64 != 0) | sums))).all()
    ):
        raise failure
    imprecisions.append(failure)


def are_numbers(value: Tensor, subject: str) -> None:
    """Fail if a result of a trained model holds NaN or infinity. ``subject`` begins the sentence: "The logits hold"."""
    if not bool(value.isfinite().all()):
        raise CheckFailure(
            "not numbers",
            f"{subject} values that are NaN or infinite.",
            received="not numbers",
            cause="not a number",
            hint="The weights themselves are finite. Are some enormous, as after a training that diverged? Train again, with a "
            "smaller learning rate.",
        )


def depends_on_its_inputs(first: Tensor, second: Tensor, what: str) -> None:
    """Fail unless the results for two different inputs are finite and differ.

    A property that a trivial answer can have (an unchanged input, the right shape, equal outputs in another order) earns
    points only together with this one.
    """
    if not bool(first.isfinite().all() and second.isfinite().all()):
        raise CheckFailure(
            "not numbers",
            f"{says(what, 'holds')} values that are NaN or infinite.",
            yours=numbers(first),
            received="not numbers",
            cause="not a number",
            hint="Look for a division by 0, the logarithm of 0, or an infinite value minus another.",
        )
    if first.shape == second.shape and torch.equal(first, second):
        raise CheckFailure(
            "constant",
            f"{says(what, 'is')} the same for two different inputs.",
            yours=numbers(first),
            received="constant",
            cause="does not depend on its inputs",
            hint=f"Follow {what} back to the arguments: something on the way no longer uses them.",
        )


def gradients(
    received: Sequence[Tensor | None], expected: Sequence[Tensor], names: Sequence[str], setting: str
) -> None:
    """Fail unless every gradient exists and equals the reference's.

    All have the same absolute tolerance: the gradient of W_K's bias is 0, but it is a sum of numbers as large as the other
    gradients.
    """
    size = max((float(gradient.abs().max()) for gradient in expected if gradient.numel()), default=1.0)
    for actual_gradient, expected_gradient, name in zip(received, expected, names, strict=True):
        if actual_gradient is None:
            raise CheckFailure(
                "detached",
                f"No gradient reaches {name}.",
                received=name,
                setting=setting,
                cause="no gradient",
                hint=f"The result does not depend on {name}, its history was cut by .detach(), .data, .item() or no_grad, or "
                "a parameter has requires_grad=False.",
            )
        allclose(
            actual_gradient,
            expected_gradient,
            f"d/d{name}",
            size=size,
            setting=setting,
            message=f"The gradient of {name} is wrong.",
        )
