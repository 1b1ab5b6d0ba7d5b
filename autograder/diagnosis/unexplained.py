"""What is said of a failure that no known misconception explains: what its wrong result itself shows."""

import itertools
from collections.abc import Callable, Sequence

from torch import Tensor

from autograder.content.lesson import Lesson
from autograder.diagnosis import confirmation, shapes, symptoms
from autograder.diagnosis.changes import tensors_in
from autograder.diagnosis.error_shapes import ABOUT_AXES
from autograder.runtime.failure import CheckFailure, Diagnosis
from autograder.runtime.student import Exchange, Request, Student
from autograder.runtime.tensors import tensors_of

#: An argument's place or name, and one of its axes.
Axis = tuple[int | str, int]
#: Of the calls in which no axis has the length 1, as many have to work.
_FEWEST_FINE = 2


def diagnosis(
    lesson: Lesson,
    failure: CheckFailure,
    exchange: Exchange | None,
    student: Student | None,
    right: Student,
    asked: Callable[[str], Sequence[Request]],
) -> Diagnosis | None:
    """Return the check's own cause, or what the wrong result shows, if it shows that for inputs of other shapes too.

    ``exchange`` is the last request before the failure, ``right`` a right answer to compare with, and ``asked`` returns
    requests for the function of a name.
    """
    if student is not None and exchange is not None and _changes(student, failure, exchange.request):
        return Diagnosis(*symptoms.CHANGING)
    if failure.cause and failure.kind != "constant":  # of those, the true ones have been told
        return Diagnosis(failure.cause, failure.hint)
    if exchange is not None and _exchanged(right, exchange):
        return Diagnosis(*symptoms.EXCHANGED)
    told = symptoms.symptom(failure, failure.wanted, lesson.symptom, _inputs(exchange.request if exchange else None))
    if failure.kind == "shape" and student is not None and exchange is not None:
        clear = _of_clear_shapes(student, right, asked(exchange.request.name), _blamed(failure, exchange), failure)
        if clear:
            return Diagnosis(*clear[0]) if len(set(clear)) == 1 else None
    if told is None or student is None or exchange is None:
        return Diagnosis(*told) if told else None
    if told[0] in ABOUT_AXES and _stops_at_one(student, right, asked(exchange.request.name)):
        return Diagnosis(*shapes.DROPPED)
    look = _look(lesson, failure)
    requests = asked(exchange.request.name) if look else ()
    if look and not confirmation.holds(student, right, requests, _blamed(failure, exchange), told[0], look):
        return None
    return Diagnosis(*told)


def _stops_at_one(student: Student, right: Student, requests: Sequence[Request]) -> bool:
    """Return whether an answer stops only where some axis of an argument, the same ones in all calls, has the length 1."""
    stopped, fine = list[set[Axis]](), list[set[Axis]]()
    for request in requests:
        if isinstance(confirmation.outcome(right, request), CheckFailure):
            continue
        value = confirmation.outcome(student, request)
        (stopped if isinstance(value, CheckFailure) else fine).append(_axes_of_one(request))
    usual = set[Axis]().union(*fine)
    return len(fine) >= _FEWEST_FINE and bool(stopped) and all(axes - usual for axes in stopped)


def _axes_of_one(request: Request) -> set[Axis]:
    """Return the axes of length 1 of the arguments: (which argument, which axis)."""
    return {(place, axis) for place, x in tensors_in(request).items() for axis, n in enumerate(x.shape) if n == 1}


def _of_clear_shapes(
    student: Student, right: Student, requests: Sequence[Request], which: int, failure: CheckFailure
) -> list[symptoms.Symptom]:
    """Return what the wrong shapes show where the axes of the right one can be told apart, by lengths that differ."""
    wrong = []
    for request in requests:
        got, want = (tensors_of(confirmation.outcome(each, request)) for each in (student, right))
        if which < min(len(got), len(want)) and got[which].shape != want[which].shape:
            wrong.append((got[which].shape, want[which].shape))
    if wrong and all(shapes.lost_ones(got, want) for got, want in wrong):
        return [shapes.DROPPED]
    clear = [(got, want) for got, want in wrong if len({1, *want}) == 1 + len(want)]
    found = [shapes.difference(got, want, shapes.letters(failure)) for got, want in clear]
    told = [symptom for symptom in found if symptom]
    common = shapes.in_common(wrong) if len(set(told)) > 1 else None
    return [common] if common else told


def _look(lesson: Lesson, failure: CheckFailure) -> Callable[[Tensor, Tensor, Request], str] | None:
    """Return what names the symptom that a result to another request shows; None if this kind of failure shows none."""
    if failure.kind == "shape":
        named = shapes.letters(failure)
        return lambda got, want, request: (shapes.difference(got.shape, want.shape, named) or ("", ""))[0]
    if failure.kind != "value" or not isinstance(failure.received, Tensor):
        return None

    def of_values(got: Tensor, want: Tensor, request: Request) -> str:
        if got.shape != want.shape:
            return ""
        wrong = CheckFailure("value", "", yours=failure.yours, received=got, wanted=want)
        return (symptoms.symptom(wrong, want, lesson.symptom, _inputs(request)) or ("", ""))[0]

    return of_values


def _changes(student: Student, failure: CheckFailure, request: Request) -> bool:
    """Return whether the request that failed gets another answer each time, outside of training mode."""
    return failure.kind == "value" and not request.training and not confirmation.repeats(student, request)


def _exchanged(right: Student, exchange: Exchange) -> bool:
    """Return whether the student's results are the right ones in another order."""
    given = exchange.value
    wanted = confirmation.outcome(right, exchange.request)
    if not isinstance(given, tuple) or not isinstance(wanted, tuple) or len(given) != len(wanted):
        return False
    return not confirmation.alike(given, wanted) and any(
        confirmation.alike(order, wanted) for order in itertools.permutations(given)
    )


def _blamed(failure: CheckFailure, exchange: Exchange) -> int:
    """Return which of the results is the one that the check found wrong."""
    given = tensors_of(exchange.value)
    if failure.kind == "shape":
        return next((n for n, value in enumerate(given) if list(value.shape) == failure.received), 0)
    return next((n for n, value in enumerate(given) if confirmation.alike(value, failure.received)), 0)


def _inputs(request: Request | None) -> list[Tensor]:
    return [x for x in request.args if isinstance(x, Tensor)] if request else []
