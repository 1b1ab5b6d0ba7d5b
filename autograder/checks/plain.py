"""Results that are plain data: ids, lists of them, pairs, and counts by name.

A tuple is as good as a list, and the keys of a dictionary are compared as text: that is how they come back from the sandbox.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.wording import says
from autograder.runtime.failure import CheckFailure, nothing_returned

#: More than so many characters of a result are not shown.
_SHOWN = 70


def settled(value: Any) -> Any:
    """Return the value with lists for tuples and text for keys, so that == compares what was meant."""
    if isinstance(value, Mapping):
        return {str(key): settled(item) for key, item in value.items()}
    return [settled(item) for item in value] if isinstance(value, tuple | list) else value


def shown(value: Any) -> str:
    """Return the value as short text."""
    text = str(settled(value)) if isinstance(value, tuple | list | Mapping) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def whole(value: Any) -> bool:
    """Return whether this is a whole number of Python's: neither a bool nor a tensor that holds one."""
    return isinstance(value, int) and not isinstance(value, bool)


def ids(value: Any, what: str, setting: str = "") -> list[int]:
    """Return a list or tuple of whole numbers as a list, or fail and say what it is instead."""
    if value is None:
        raise nothing_returned()
    strange = [each for each in value if not whole(each)] if isinstance(value, tuple | list) else [value]
    if strange:
        inside = f" with a {type(strange[0]).__name__} in it" if isinstance(value, tuple | list) else ""
        raise of_another_type(
            value, f"{what} should be a list of ids, which are whole numbers.", "no list of ids", setting, inside
        )
    return list(value)


def of_another_type(
    value: Any, message: str, cause: str, setting: str = "", more: str = "", hint: str = ""
) -> CheckFailure:
    """Return the failure of a result of another type than the one asked for."""
    kind = f"{type(value).__name__}{more}"
    return CheckFailure("type", message, setting=setting, yours=f"a {kind}", received=kind, cause=cause, hint=hint)


def equal(got: Any, want: Any, what: str, setting: str = "") -> None:
    """Fail unless two values are the same."""
    found, wanted = settled(got), settled(want)
    if type(found) is not type(wanted) or found != wanted:
        raise CheckFailure(
            "value",
            f"{says(what, 'is')} wrong.",
            setting=setting,
            expected=_around(wanted, found),
            yours=_around(found, wanted),
            received=found,
        )


def _around(value: Any, other: Any) -> str:
    """Return the value as text; of long lists, the part from where they differ."""
    if not isinstance(value, Sequence) or not isinstance(other, Sequence) or len(str(value)) <= _SHOWN:
        return shown(value)
    first = next((n for n, (a, b) in enumerate(zip(value, other, strict=False)) if a != b), min(len(value), len(other)))
    return f"{shown(value[first:])}, from place {first} on, of {len(value)}"


def kept(before: Sequence[Any], after: Sequence[Any], names: Sequence[str]) -> None:
    """Fail when a call has changed one of its arguments that are plain data."""
    for name, old, new in zip(names, before, after, strict=True):
        if settled(old) != settled(new):
            raise CheckFailure(
                "mutated",
                f"The call has changed its argument {name}.",
                expected=f"{name} as it was: {shown(old)}",
                yours=shown(new),
                received=name,
                cause="input changed in place",
                hint=f"Look for an assignment to a part of {name}, and for append, pop, remove, insert, del, update or sort: "
                "they write into the caller's own. Make a new one instead.",
            )


def id_tensor(value: Tensor, what: str) -> None:
    """Fail unless ``value`` holds ids, as argmax and topk return them."""
    if value.dtype != torch.int64:
        raise CheckFailure(
            "dtype",
            f"{what} should hold ids, whole numbers of 64 bits.",
            expected="torch.int64",
            yours=str(value.dtype),
            received=str(value.dtype),
            cause="ids of another dtype",
            hint="Ids are what argmax and topk return. Make new tensors for them with dtype=torch.int64.",
        )
