"""The rows that an answer has lost, and which of them one mistake brings about."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.checks.execute import Check
from autograder.runtime.failure import CheckFailure, Diagnosis
from autograder.runtime.student import Exchange


@dataclass(frozen=True)
class Lost:
    """A failed check, its failure, and the last request that it sent to the student."""

    check: Check
    failure: CheckFailure
    exchange: Exchange | None = None


#: Kinds of failures that one mistake brings about in many rows, each with another guess at its cause.
_ECHOES = (
    *("value", "shape", "crash", "constant", "random", "not numbers", "dropout", "order", "leak", "mask"),
    *("sees", "first", "blind", "caption", "span", "hidden", "padding", "gradient", "mode", "masking"),
)


#: Of these, those whose cause is a guess that supposes right values.
_GUESSES = ("constant", "dropout", "order")


def without_echoes(
    lost: Sequence[Lost], found: Sequence[Diagnosis | None], by_case: Iterable[int]
) -> list[Diagnosis | None]:
    """Keep, of the rows that one mistake may bring about, the known misconceptions, or else the first cause alone."""
    wrong = any(
        each.failure.kind in ("value", "shape", "crash") for each, its in zip(lost, found, strict=True) if not its
    )
    if any(each.failure.kind == "type" for each in lost):  # no gradient flows through what is no tensor
        found = [None if each.failure.kind == "detached" else its for each, its in zip(lost, found, strict=True)]
    found = [
        None if wrong and each.failure.kind in _GUESSES and n not in by_case else found[n]
        for n, each in enumerate(lost)
    ]
    rows = [n for n, each in enumerate(lost) if found[n] and each.failure.kind in _ECHOES]
    kept = {found[n] for n in rows if n in by_case} or {found[n] for n in rows[:1]}
    return [None if n in rows and cause not in kept else cause for n, cause in enumerate(found)]


#: Kinds of failures that bring about wrong values in other rows. Another error type, or a changed input, does not.
EXPLAIN_VALUES = ("shape", "type", "crash", "forbidden", "constant", "random", "not numbers")


def same_error(a: Lost, b: Lost) -> bool:
    return a.failure.kind == "crash" and (a.failure.message, a.failure.yours) == (b.failure.message, b.failure.yours)
