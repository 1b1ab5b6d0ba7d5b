"""Symptoms in a wrong result, for when no known misconception gives the same result."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from autograder.judging.error_messages import ERRORS
from autograder.judging.failure import CheckFailure

Symptom = tuple[str, str]

#: A lesson's function that finds a symptom in a failure and the expected tensor.
Look = Callable[[CheckFailure, Tensor | None], Symptom | None]


def symptom(failure: CheckFailure, want: Tensor | None, of_lesson: Look | None = None) -> Symptom | None:
    """Return (cause, hint) for a failure whose wrong result shows a symptom, or None. ``of_lesson`` is tried last."""
    return _general(failure, want) or (of_lesson(failure, want) if of_lesson else None)


def _general(failure: CheckFailure, want: Tensor | None) -> Symptom | None:
    if failure.kind == "crash":
        return of_error(str(failure.received), ERRORS)
    got = failure.received
    if failure.kind != "value" or not isinstance(got, Tensor) or want is None or got.shape != want.shape:
        return None
    return first(GENERAL, got, want)


def first(looks: Iterable[Callable[[Tensor, Tensor], Symptom | None]], got: Tensor, want: Tensor) -> Symptom | None:
    """Return the first symptom found, or None."""
    return next((found for look in looks if (found := look(got, want))), None)


def of_error(text: str, table: Iterable[tuple[str, str, str]]) -> Symptom | None:
    """Return the table's entry for an error message."""
    return next(((cause, hint) for fragment, cause, hint in table if fragment in text), None)


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)


def _not_a_number(got: Tensor, want: Tensor) -> Symptom | None:
    if not got.isnan().any():
        return None
    empty = (want == 0).all(-1)
    if empty.any() and torch.equal(got.isnan().any(-1), empty):
        return "not a number where nothing may be attended to", (
            "A row in which every similarity is −inf becomes 0/0. Decide what such a row should hold, and write it."
        )
    return "not a number", "Look for exp of a large number (inf / inf), for 0 · inf, and for −inf minus −inf."


def _all_zero(got: Tensor, want: Tensor) -> Symptom | None:
    return ("all zeros", "Every entry of the result is 0.") if not got.any() else None


def _transposed(got: Tensor, want: Tensor) -> Symptom | None:
    if got.dim() >= 2 and same(got, want.transpose(-2, -1)):
        return "transposed", "Your result is the expected one with its last two dimensions swapped."
    return None


def _multiple(got: Tensor, want: Tensor) -> Symptom | None:
    used = want.abs() > 1e-9
    if not used.any() or bool((got[~used].abs() > 1e-9).any()):
        return None
    ratio = got[used] / want[used]
    factor = ratio[0].item()
    if len(want[used].unique()) < 3 or not math.isfinite(factor) or abs(factor) < 1e-9:
        return None  # with so few numbers, every wrong one is some factor
    if same(ratio, ratio[:1].expand_as(ratio)):
        return "off by a constant factor", f"Every entry is {factor:.4g} times what it should be."
    return None


def _batch(got: Tensor, want: Tensor) -> Symptom | None:
    if got.dim() >= 3 and got.shape[0] > 1 and same(got[0], want[0]):
        return "only the first of the batch is right", (
            "The first element of the batch is right and the others are not. Each has to be treated for itself."
        )
    return None


GENERAL: list[Callable[[Tensor, Tensor], Symptom | None]] = [_not_a_number, _all_zero, _transposed, _multiple, _batch]
