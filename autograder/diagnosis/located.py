"""In which part of a module a mistake lies: set that part to 0, and a wrong answer is right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.changes import Symptom, another
from autograder.diagnosis.confirmation import alike, outcome
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Request, Student
from autograder.runtime.tensors import tensors_of

#: Returns the part to which a parameter belongs.
PartOf = Callable[[str], str]

#: A module with fewer parts has none that stands out, and one with more costs too many calls.
_FEWEST, _MOST = 3, 12


def located(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """Return the one part without which the answers to all these requests are right, or None.

    A part counts only if with 0 in it those results that are wrong would still depend on most others: behind a last layer of
    zeros every mistake is hidden.
    """
    asked = [request for request in requests if request.weights and _wrong(student, right, request)]
    if len(asked) < 2:
        return None
    names = [name for request in asked for name in request.weights or ()]
    part_of = _part if len({*map(_part, names)}) <= _MOST else _outermost
    parts = list(dict.fromkeys(map(part_of, names)))
    if not _FEWEST <= len(parts) <= _MOST:
        return None
    found = [part for part in parts if all(_right_without(student, right, part_of, each, part) for each in asked)]
    wrong = _wrong_results(student, right, asked[0])
    seen = [part for part in found if _others_count(right, part_of, asked[0], part, parts, wrong)]
    around = seen if len(seen) == 1 else list({_outermost(part) for part in seen})
    if len(around) != 1:
        return None
    return (
        f"a mistake in what is done with {around[0]}",
        f"If all numbers of {around[0]} are 0, your result is right, and otherwise it is not. Look at what {around[0]} is "
        "applied to, and at what becomes of that.",
    )


def _part(name: str) -> str:
    return name.rpartition(".")[0] or name


def _outermost(name: str) -> str:
    return name.partition(".")[0]


def _wrong(student: Student, right: Student, request: Request) -> bool:
    want = outcome(right, request)
    return not isinstance(want, CheckFailure) and not alike(outcome(student, request), want)


def _right_without(student: Student, right: Student, part_of: PartOf, request: Request, part: str) -> bool:
    """Return whether the student's result is right if the part is 0, by other numbers of the rest as well."""
    empty = _with(request, part_of, {part: torch.zeros_like})
    rest = {part_of(name) for name in request.weights or ()} - {part}
    both = (empty, _with(empty, part_of, dict.fromkeys(rest, another)))
    return not isinstance(outcome(right, empty), CheckFailure) and not any(
        _wrong(student, right, each) for each in both
    )


def _wrong_results(student: Student, right: Student, request: Request) -> list[int]:
    """Return the numbers of the tensors in the result that are wrong; all if there are more or fewer of them than should be."""
    got, want = (tensors_of(outcome(each, request)) for each in (student, right))
    if len(got) != len(want):
        return list(range(len(want)))
    return [n for n in range(len(want)) if not alike(got[n], want[n])]


def _others_count(
    right: Student, part_of: PartOf, request: Request, part: str, parts: Sequence[str], which: Sequence[int]
) -> bool:
    """Return whether right results, those ``which`` were wrong, with the part at 0 still change with half of the other parts."""
    empty = _with(request, part_of, {part: torch.zeros_like})
    others = [other for other in parts if other != part]

    def results(changed: Request) -> list[Tensor]:
        found = tensors_of(outcome(right, changed))
        return [found[n] for n in which if n < len(found)]

    before = results(empty)
    moved = sum(not alike(results(_with(empty, part_of, {other: another})), before) for other in others)
    return 2 * moved >= len(others)


def _with(request: Request, part_of: PartOf, changed: Mapping[str, Any]) -> Request:
    """Return the request with other weights in these parts."""
    weights: dict[str, Tensor] = {
        name: changed[part_of(name)](x) if part_of(name) in changed else x
        for name, x in (request.weights or {}).items()
    }
    return replace(request, weights=weights)
