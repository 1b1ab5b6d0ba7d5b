"""Symptoms in a wrong list of numbers, strings or tuples, the result of an answer without tensors."""

from collections.abc import Sequence
from typing import Any

from autograder.runtime.student import Request

Symptom = tuple[str, str]

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


def symptom(got: Any, want: Any, request: Request) -> Symptom | None:
    """Return (cause, hint) for a wrong list, or None. ``want``: the right one; ``request``: the call that asked for it."""
    if not _is_list(got) or not _is_list(want):
        return None
    own, right = _plain(got), _plain(want)
    if own == right or len(right) < 1:
        return None
    if own and any(own == _plain(each) for each in (*request.args, *request.kwargs.values()) if _is_list(each)):
        return UNCHANGED
    if len(own) >= _FEWEST and len(right) >= _FEWEST:
        return _entries(own, right) or _ends(own, right)
    return _ends(own, right)


def _entries(own: list[Any], right: list[Any]) -> Symptom | None:
    if all(entry == own[0] for entry in own) and any(entry != right[0] for entry in right):
        return REPEATED
    if own == right[::-1]:
        return REVERSED
    if sorted(map(repr, own)) == sorted(map(repr, right)):
        return ANOTHER_ORDER
    if len(own) == len(right) and all(type(entry) is int for entry in (*own, *right)):
        steps = {a - b for a, b in zip(own, right, strict=True)}
        if len(steps) == 1:
            step = steps.pop()
            return (
                OFF,
                f"Every number is {abs(step)} too {'large' if step > 0 else 'small'}. Look at where counting begins.",
            )
    return None


def _ends(own: list[Any], right: list[Any]) -> Symptom | None:
    if own and own == right[: len(own)]:
        return ENDS_EARLY
    if own[: len(right)] == right:
        return ENDS_LATE
    return BEGINS_LATE if own and own == right[-len(own) :] else None


def is_informative(want: Any) -> bool:
    """Return whether a list has enough entries to show a symptom."""
    return _is_list(want) and len(want) >= _FEWEST


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and all(map(_is_plain, value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float | str | None) or (
        isinstance(value, tuple | list) and all(map(_is_plain, value))
    )


def _plain(value: Any) -> Any:
    """Return a value with tuples replaced by lists: the sandbox does not always distinguish them."""
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value
