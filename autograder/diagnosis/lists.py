"""Symptoms in a wrong list of numbers, strings or tuples, the result of an answer without tensors."""

from collections.abc import Sequence
from typing import Any

from autograder.diagnosis.patterns import Symptom
from autograder.runtime.student import Request

UNCHANGED = (
    "the input comes back unchanged",
    "The input is returned unchanged. The lines between may have no effect: a result counts only if it is given a "
    "name, as in ids = f(ids), and a list never equals a tuple ([1, 2] == (1, 2) is False). Or the input is "
    "returned in place of the result.",
)
REPEATED = (
    "the same entry again and again",
    "Every entry is the first one again. Something should change from step to step and does not: is its new value kept, as in "
    "words = [f(w) for w in words], and is what depends on it computed anew in the loop?",
)
REVERSED = (
    "the right entries from back to front",
    "The list is right, but reversed. Look for what puts entries in front, or turns the list round.",
)
ANOTHER_ORDER = (
    "the right entries in the wrong order",
    "Each entry of your list is right, but the order is not. Look at what decides the order.",
)
ENDS_EARLY = (
    "the list ends too early",
    "Your list is the beginning of the right one. Look at where the loop ends: a return or break inside it, the end of a range, "
    "or a last part that is forgotten after it.",
)
ENDS_LATE = (
    "the list goes on too long",
    "Your list begins with the right one and continues after its end. Look at where the loop ends.",
)
BEGINS_LATE = (
    "the list begins too late",
    "Your list is the end of the right one. Look at the first step of the loop, and at what is added before it.",
)
OFF = "every number off by one and the same"

#: Minimum number of entries: shorter lists resemble many others.
_FEWEST = 2


def symptom(actual: Any, expected: Any, request: Request) -> Symptom | None:
    """Return (cause, hint) for a wrong list, or None. ``expected``: the right one; ``request``: the call that asked for it."""
    if not _is_list(actual) or not _is_list(expected):
        return None
    actual_entries, expected_entries = _plain(actual), _plain(expected)
    if actual_entries == expected_entries or len(expected_entries) < 1:
        return None
    if actual_entries and any(
        actual_entries == _plain(argument)
        for argument in (*request.args, *request.kwargs.values())
        if _is_list(argument)
    ):
        return UNCHANGED
    if len(actual_entries) >= _FEWEST and len(expected_entries) >= _FEWEST:
        return _entries(actual_entries, expected_entries) or _ends(actual_entries, expected_entries)
    return _ends(actual_entries, expected_entries)


def _entries(actual: list[Any], expected: list[Any]) -> Symptom | None:
    if all(entry == actual[0] for entry in actual) and any(entry != expected[0] for entry in expected):
        return REPEATED
    if actual == expected[::-1]:
        return REVERSED
    if sorted(map(repr, actual)) == sorted(map(repr, expected)):
        return ANOTHER_ORDER
    if len(actual) == len(expected) and all(type(entry) is int for entry in (*actual, *expected)):
        steps = {a - b for a, b in zip(actual, expected, strict=True)}
        if len(steps) == 1:
            step = steps.pop()
            return (
                OFF,
                f"Every number is {abs(step)} too {'large' if step > 0 else 'small'}. Look at where counting begins.",
            )
    return None


def _ends(actual: list[Any], expected: list[Any]) -> Symptom | None:
    if actual and actual == expected[: len(actual)]:
        return ENDS_EARLY
    if actual[: len(expected)] == expected:
        return ENDS_LATE
    return BEGINS_LATE if actual and actual == expected[-len(actual) :] else None


def is_informative(expected: Any) -> bool:
    """Return whether a list has enough entries to show a symptom."""
    return _is_list(expected) and len(expected) >= _FEWEST


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and all(map(_is_plain, value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float | str | None) or (
        isinstance(value, tuple | list) and all(map(_is_plain, value))
    )


def _plain(value: Any) -> Any:
    """Return a value with tuples replaced by lists: the sandbox does not always distinguish them."""
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value
