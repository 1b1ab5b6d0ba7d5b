"""Comparisons that report the expected value, the received value, and where the two first differ."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.differences import HALF, difference_failure, kind, numbers, tolerance
from autograder.checks.wording import says
from autograder.runtime.failure import CheckFailure, none_in_place_of, nothing_returned


def tensor(value: Any, what: str) -> Tensor:
    """Return ``value`` if it is a tensor."""
    if value is None:
        raise nothing_returned()
    if not isinstance(value, Tensor):
        hint = ""
        if isinstance(value, tuple | list):
            hint = (
                f"{what[:1].upper()}{what[1:]} should be one tensor, not {len(value)} things. Are they the parts of it, which "
                "torch.stack joins, or more results than were asked for?"
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
    """Return the two tensors of a returned pair (a tuple, a list or a named tuple)."""
    if value is None:
        raise nothing_returned()
    if not isinstance(value, tuple | list) or len(value) != 2:
        missing = isinstance(value, Tensor)
        raise CheckFailure(
            "type",
            f"Two results are expected, ({first}, {second}).",
            yours=kind(value),
            received=kind(value),
            cause="only one result returned" if missing else "wrong number of results",
            hint=f"Return both, in this order: return {first}, {second}",
        )
    return part(value[0], first), part(value[1], second)


def part(value: Any, what: str) -> Tensor:
    """Return one of several results if it is a tensor."""
    if value is None:
        raise none_in_place_of(what)
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
            hint="Look for tensors made without a dtype (torch.zeros, torch.ones, torch.tensor), and for .float() without a "
            "way back. Take the dtype from the inputs.",
        )


def close(
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

    Half precision has no rounding that explains anything unless the ``inputs`` have it too: then float64's counts.
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
    got, want = value.detach().to("cpu", torch.float64), expected.detach().to("cpu", torch.float64)
    difference = (got - want).abs()
    rounded = torch.float64 if value.dtype in HALF and inputs not in HALF else value.dtype
    wrong = ~(difference <= tolerance(rounded, size))
    if wrong.any():
        raise difference_failure(got, want, wrong, what, setting, message)


def unchanged(before: Sequence[Any], after: Sequence[Any], names: Sequence[str]) -> None:
    """Fail when a call has changed one of its arguments. Raises ValueError unless there are as many after the call as before."""
    for name, (old, new) in zip(names, zip(before, after, strict=True), strict=False):
        if not isinstance(old, Tensor):
            continue
        same = isinstance(new, Tensor) and new.shape == old.shape and new.dtype == old.dtype
        if not same or not torch.equal(old.nan_to_num(), new.detach().nan_to_num()):
            raise CheckFailure(
                "mutated",
                f"The call has changed its argument {name}.",
                expected=f"{name} as it was",
                received=name,
                cause="input changed in place",
                hint=f"Look for an in-place operation on {name}, such as -=, *=, .exp_() or an assignment to {name}[...]: it "
                "writes into the caller's tensor. Make a new tensor instead.",
            )


def depends_on_its_inputs(first: Tensor, second: Tensor, what: str) -> None:
    """Fail unless the results for two different inputs are numbers and differ.

    A property that a trivial answer can have (an unchanged input, the right shape, equal outputs in another order) earns
    points only together with this one.
    """
    if not bool(first.isfinite().all() and second.isfinite().all()):
        raise CheckFailure(
            "not numbers",
            f"{says(what, 'holds')} values that are not numbers.",
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


def gradients(found: Sequence[Tensor | None], expected: Sequence[Tensor], names: Sequence[str], setting: str) -> None:
    """Fail unless every gradient exists and equals the reference's."""
    for got, want, name in zip(found, expected, names, strict=True):
        if got is None:
            raise CheckFailure(
                "detached",
                f"No gradient reaches {name}.",
                received=name,
                setting=setting,
                cause="no gradient",
                hint=f"The result does not depend on {name}, its history was cut by .detach(), .data, .item() or no_grad, or "
                "a parameter has requires_grad=False.",
            )
        close(
            got,
            want,
            f"d/d{name}",
            size=float(want.abs().max()),
            setting=setting,
            message=f"The gradient of {name} is wrong.",
        )
