"""What a wrong answer does not look at though it should, and what it looks at though it should not.

One thing about a call is changed at a time: an argument, a parameter, one example of the batch, one row. Where a right answer
changes with it and the student's does not, or the other way round, that says something of the mistake, whatever it is.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.changes import Symptom, changes, other_rows, tensors_in, with_tensors
from autograder.diagnosis.confirmation import alike, outcome
from autograder.diagnosis.lost import Lost
from autograder.diagnosis.mixed import mixed
from autograder.runtime.failure import CheckFailure, Diagnosis
from autograder.runtime.student import Request, Student
from autograder.runtime.tensors import tensors_of

#: Returns what more requests show.
Look = Callable[[Student, Student, Sequence[Request]], Symptom | None]

#: How many requests are changed.
_REQUESTS = 4
#: More than that is no argument overlooked, but another function.
_MOST_IGNORED = 2


#: Kinds of failures at whose requests it is worth looking what the result depends on.
_SHOWN = ("value", "shape")


def of_rows(
    lost: Sequence[Lost],
    student: Student,
    right: Student,
    functions: Mapping[str, Any],
    asked: Callable[[str], Sequence[Request]],
    further: Look | None = None,
) -> list[Diagnosis | None]:
    """Say at the first wrong value, or wrong shape, what changes to the requests that failed and to others show.

    ``functions`` are the right ones, for the names of their arguments; ``asked`` returns requests for the function of a name.
    ``further`` looks where nothing has been found.
    """
    wrong = [(n, each.exchange.request) for n, each in enumerate(lost) if each.exchange and each.failure.kind in _SHOWN]
    found: list[Diagnosis | None] = [None] * len(lost)
    if wrong:
        name = wrong[0][1].name
        failed, others = [request for _, request in wrong if request.name == name], asked(name)
        requests = [failed[0], *others[-1:], *failed[1:2], *others[:1]]
        told = probed(student, right, functions[name], requests, further, others)
        found[wrong[0][0]] = Diagnosis(*told) if told else None
    return found


def probed(
    student: Student,
    right: Student,
    function: Any,
    requests: Iterable[Request],
    further: Look | None = None,
    others: Iterable[Request] = (),
) -> Symptom | None:
    """Return what changes to these requests for one function show, or None. Only the first few that can be used are changed.

    That a tensor makes no difference has to be so in the ``others`` too.
    """
    usable = list(itertools.islice(_usable(student, right, requests), _REQUESTS))
    ignored = _ignored(student, right, function, usable)
    if ignored and any(
        _matters(ignored, student, right, function, request) for request in _usable(student, right, others)
    ):
        ignored = None
    return (
        ignored
        or mixed(student, right, usable)
        or _reach(student, right, usable)
        or (further(student, right, usable) if further else None)
    )


def _usable(student: Student, right: Student, requests: Iterable[Request]) -> Iterator[Request]:
    """Yield the requests that have a result, each made once and without gradients."""
    plain = (replace(request, cotangents=None, deep=False, times=1, before=()) for request in requests)
    return (request for request in plain if _works(right, request) and _works(student, request))


def _works(student: Student, request: Request) -> bool:
    """Return whether a request has a result, and no random one."""
    value = outcome(student, request)
    return not isinstance(value, CheckFailure) and (not request.training or alike(value, outcome(student, request)))


def _ignored(student: Student, right: Student, function: Any, requests: Sequence[Request]) -> Symptom | None:
    """An argument or a parameter that makes no difference, where it makes one to a right answer, and not only once."""
    used, blind, enough = set(), list[Symptom](), dict[Symptom, int]()
    pairs = [(request, (outcome(student, request), outcome(right, request))) for request in requests]
    wrong_builds = [str(request.build) for request, before in pairs if not alike(*before)]
    for request, before in pairs:
        other_kind = alike(*before) and str(request.build) not in wrong_builds
        for symptom, enough[symptom], other in changes(request, function):
            want = outcome(right, other)
            if isinstance(want, CheckFailure) or alike(want, before[1]):
                continue
            if alike(outcome(student, other), before[0]):
                blind.append(symptom)
            elif not (other_kind and other.weights is not request.weights):
                # A part that a right kind of module uses (norm="post") may be forgotten in a wrong one.
                used.add(symptom)
    left = [symptom for symptom, times in Counter(blind).items() if symptom not in used and times >= enough[symptom]]
    return left[0] if used and 0 < len(left) <= _MOST_IGNORED else None


def _matters(ignored: Symptom, student: Student, right: Student, function: Any, request: Request) -> bool:
    """Return whether a tensor that seems to be ignored changes the student's result to this request, as it does a right one.

    Numbers have values for which all is another thing, such as a temperature of 0; so nothing is said of those.
    """
    return any(
        all(not alike(outcome(each, other), outcome(each, request)) for each in (student, right))
        for symptom, _, other in changes(request, function)
        if symptom == ignored and _other_tensor(request, other)
    )


def _other_tensor(request: Request, other: Request) -> bool:
    """Return whether the other request differs in an argument that is a tensor."""
    mine = tensors_in(request)
    return any(x is not mine.get(place) for place, x in tensors_in(other).items())


#: By what changes in a right and in a wrong result, each with (a later row, an earlier row): does a row change with another?
_REACHES = {
    ((False, True), (True, True)): (
        "looks ahead",
        "If only the last row of the input changes, earlier rows of your result change too. They should not know it.",
    ),
    ((True, True), (False, True)): (
        "later rows never seen",
        "If only the last row of the input changes, the earlier rows of your result stay the same: something hides what comes "
        "later, and here nothing should.",
    ),
    ((True, True), (False, False)): (
        "every row for itself",
        "A row of your result depends on the same row of the input alone. Each should depend on all of them.",
    ),
    ((False, False), (True, True)): (
        "rows mixed",
        "A row of your result depends on other rows of the input too. Each should depend on its own alone. Look for a sum, a "
        "mean or a softmax along the wrong axis.",
    ),
}


def _reach(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """A row of the result depends on rows of an argument that it should not depend on, or not on those it should."""
    seen: dict[int | str, set[Any]] = {}
    for request in requests:
        for place, x in tensors_in(request).items():
            if x.dim() >= 2 and x.dtype != torch.bool:
                reaches = [_reach_of(each, request, place, x) for each in (right, student)]
                seen.setdefault(place, set()).add(None if None in reaches else tuple(reaches))
    every = set[Any]().union(*seen.values())
    for kind in (next(iter(kinds)) for kinds in seen.values() if len(kinds) == 1):
        # What one argument's rows do not reach, another's may: the one key that is looked at decides, and its value counts.
        alone = kind and (
            kind[0] != (True, True) or all(other == kind for other in every if other and other[0] == kind[0])
        )
        if alone and kind in _REACHES:
            return _REACHES[kind]
    return None


def _reach_of(student: Student, request: Request, place: int | str, x: Tensor) -> tuple[bool, bool] | None:
    """Return whether the first row changes with the last one, and the last with the first; None if these are not rows of both."""
    axis, before = (x.dim() - 2 if x.is_floating_point() else 1), tensors_of(outcome(student, request))
    if x.shape[axis] < 3 or not before or before[0].dim() <= axis or before[0].shape[:axis] != x.shape[:axis]:
        return None
    found, rows = [], before[0].shape[axis]
    for changed, watched in ((x.shape[axis] - 1, 0), (0, rows - 1)):
        results = []
        for moved in other_rows(x):
            other = x.clone()
            other.select(axis, changed).copy_(moved.select(axis, changed))
            results.append(tensors_of(outcome(student, with_tensors(request, {place: other}))))
        if rows < 2 or any(not after or after[0].shape != before[0].shape for after in results):
            return None
        watched_before = before[0].select(axis, watched)
        found.append(any(not alike(watched_before, after[0].select(axis, watched)) for after in results))
    return found[0], found[1]
