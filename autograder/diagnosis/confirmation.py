"""Confirm a misconception: it has to agree with the student's answer on more and larger inputs than the one that failed.

Two answers often agree on the smallest example of a check, which is the first to fail. A wrong name is worse than none.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.checks.execute import equal, same_failure, silence
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Exchange, Request, Student
from autograder.runtime.tensors import tensors_of


def agree(student: Student, candidate: Student, requests: Iterable[Request]) -> bool:
    """Return whether both give the same answers to all these requests. A random answer says nothing."""
    for request in requests:
        want = outcome(candidate, request)
        if not alike(outcome(student, request), want) and alike(want, outcome(candidate, request)):
            return False
    return True


def gives(student: Student, exchange: Exchange | None, received: Any) -> bool:
    """Return whether a known wrong answer gives another's answer to the last request before its failure.

    One request costs a fraction of the whole check and rules out most candidates. ``received`` is the result that is blamed.
    """
    if exchange is None:
        return True
    try:
        with silence():
            value = student.answer(exchange.request).value
    except CheckFailure as failure:
        return exchange.failure is not None and same_failure(exchange.failure, failure)
    except Exception:
        return False
    if exchange.failure is not None:
        return False
    own, other = tensors_of(exchange.value), tensors_of(value)
    if len(own) != len(other) or not own:
        return len(own) == len(other)
    blamed = [n for n, x in enumerate(own) if isinstance(received, Tensor) and alike(x, received)]
    return any(alike(own[n], other[n]) for n in (blamed or range(len(own))))


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
        got, want = (tensors_of(outcome(each, request)) for each in (student, right))
        if which >= min(len(got), len(want)) or alike(got[which], want[which]):
            continue
        if look(got[which], want[which], request) != name:
            return False
    return True


def square(request: Request) -> Request:
    """Return the request with every axis of its tensors cut to one length, at which fewer mistakes stop with an error."""
    lengths = [length for x in request.args if isinstance(x, Tensor) for length in x.shape if length > 1]
    if request.build is not None or not lengths:
        return request
    shortest = slice(min(lengths))
    cut = tuple(x[(shortest,) * x.dim()] if isinstance(x, Tensor) else x for x in request.args)
    return replace(request, args=cut, cotangents=None)


def varies(student: Student, requests: Iterable[Request]) -> bool:
    """Return whether the answer to any of these requests changes with the numbers in it."""
    for request in requests:
        other = replace(request, args=tuple(map(_other, request.args)))
        if not alike(outcome(student, request), outcome(student, other)):
            return True
    return False


def _other(value: Any) -> Any:
    return value.square() + 0.5 if isinstance(value, Tensor) and value.is_floating_point() else value


def repeats(student: Student, request: Request) -> bool:
    """Return whether a request gets the same answer twice."""
    return alike(outcome(student, request), outcome(student, request))


def outcome(student: Student, request: Request) -> Any:
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
        if not (isinstance(a, CheckFailure) and isinstance(b, CheckFailure) and a.kind == b.kind):
            return False
        return a.kind != "crash" or a.received == b.received  # the error's message has the sizes that did not fit
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.is_meta or b.is_meta:  # no numbers to compare
            return a.shape == b.shape and a.device == b.device
        return a.shape == b.shape and a.is_complex() == b.is_complex() and equal(a.detach(), b.detach())
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):  # from the sandbox a key comes back as text
        one, other = ({str(key): value for key, value in each.items()} for each in (a, b))
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(a, float) and isinstance(b, float):  # as the numbers of tensors: rounding makes no other answer of it
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) or (a != a and b != b)
    return isinstance(a, Tensor) == isinstance(b, Tensor) and type(a) is type(b) and bool(a == b)
