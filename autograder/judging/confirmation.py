"""Confirm a misconception: it has to agree with the student's answer on more and larger inputs than the one that failed.

Two answers often agree on the smallest example of a check, which is the first to fail. A wrong name is worse than none.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor

from autograder.judging.failure import CheckFailure
from autograder.judging.replay import Check, equal, replay, silence
from autograder.judging.student import Answer, Questions, Request, Student
from autograder.judging.tensors import tensors_of

#: How many requests of a check are tried, the largest first.
_MOST = 6


class _Listener(Questions):
    """Passes requests on to a student, and keeps them."""

    def __init__(self, student: Student):
        self.student, self.heard = student, list[Request]()

    @property
    def lesson(self) -> Any:
        return self.student.lesson

    def _carry_out(self, request: Request) -> Answer:
        self.heard.append(request)
        return self.student.answer(request)


def requests_of(right: Student, check: Check, seed: int) -> list[Request]:
    """Return the largest requests that a check makes of a ``right`` answer, which nothing stops."""
    return sorted(_heard(right, [check], seed), key=_size, reverse=True)[:_MOST]


def of_many_shapes(right: Student, checks: Sequence[Check], seed: int, name: str) -> list[Request]:
    """Return requests for ``name`` that these checks make of a ``right`` answer, one for each set of shapes."""
    heard = [request for request in _heard(right, checks, seed) if request.name == name]
    by_shape = {str(_shapes((request.build, request.args, request.kwargs))): request for request in heard}
    return sorted(by_shape.values(), key=_size, reverse=True)[: 2 * _MOST]


def _heard(right: Student, checks: Sequence[Check], seed: int) -> list[Request]:
    listener = _Listener(right)
    for check in checks:
        replay(check, listener, seed)
    return listener.heard


def _shapes(value: Any) -> Any:
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if isinstance(value, dict):
        return {key: _shapes(item) for key, item in value.items()}
    return [_shapes(item) for item in value] if isinstance(value, tuple | list) else repr(value)


def agree(student: Student, candidate: Student, requests: Iterable[Request]) -> bool:
    """Return whether both give the same answers to all these requests. A random answer says nothing."""
    for request in requests:
        want = _outcome(candidate, request)
        if not alike(_outcome(student, request), want) and alike(want, _outcome(candidate, request)):
            return False
    return True


def holds(
    student: Student,
    right: Student,
    requests: Iterable[Request],
    which: int,
    name: str,
    look: Callable[[Tensor, Tensor, Request], str],
) -> bool:
    """Return whether result number ``which`` shows the symptom of this name wherever the student's answers are wrong.

    ``look`` returns the name of the symptom that a wrong and a right tensor, and the request for them, show.
    """
    for request in requests:
        got, want = (tensors_of(_outcome(each, request)) for each in (student, right))
        if which >= min(len(got), len(want)) or alike(got[which], want[which]):
            continue
        if look(got[which], want[which], request) != name:
            return False
    return True


def repeats(student: Student, request: Request) -> bool:
    """Return whether a request gets the same answer twice."""
    return alike(_outcome(student, request), _outcome(student, request))


def _outcome(student: Student, request: Request) -> Any:
    try:
        with silence():
            return student.answer(request).value
    except CheckFailure as failure:
        return failure
    except Exception as error:
        return CheckFailure("crash", type(error).__name__, received=type(error).__name__)


def alike(a: Any, b: Any) -> bool:
    """Return whether two outcomes agree: the same kind of failure, or results with the same numbers."""
    if isinstance(a, CheckFailure) or isinstance(b, CheckFailure):
        return isinstance(a, CheckFailure) and isinstance(b, CheckFailure) and a.kind == b.kind
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.is_complex() == b.is_complex() and equal(a.detach(), b.detach())
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(alike, a, b))
    return isinstance(a, Tensor) == isinstance(b, Tensor) and type(a) is type(b) and bool(a == b)


def _size(request: Request) -> int:
    """Return how many numbers a request asks about."""
    return sum(_numbers(part) for part in (*request.args, *request.kwargs.values()))


def _numbers(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    return sum(map(_numbers, value)) if isinstance(value, tuple | list) else 1
