"""What is said of a failure that no known misconception explains: what its wrong result itself shows."""

from torch import Tensor

from autograder.judging import confirmation, symptoms
from autograder.judging.failure import CheckFailure, Diagnosis
from autograder.judging.lesson import Lesson
from autograder.judging.replay import Check
from autograder.judging.student import Exchange, Request, Student
from autograder.judging.tensors import tensors_of


def diagnosis(
    lesson: Lesson,
    check: Check,
    failure: CheckFailure,
    exchange: Exchange | None,
    student: Student | None,
    right: Student,
    seed: int,
) -> Diagnosis | None:
    """Return the check's own cause, or what the wrong result shows, if it shows that on larger inputs too.

    ``exchange`` is the last request before the failure, ``right`` a right answer to compare with.
    """
    if student is not None and exchange is not None and _changes(student, failure, exchange.request):
        return Diagnosis(*symptoms.CHANGING)
    if failure.cause:
        return Diagnosis(failure.cause, failure.hint)
    told = symptoms.symptom(failure, failure.wanted, lesson.symptom, _inputs(exchange.request if exchange else None))
    if told is None:
        return None
    if (
        student is not None
        and exchange is not None
        and failure.kind == "value"
        and isinstance(failure.received, Tensor)
    ):
        requests = confirmation.requests_of(right, check, seed)

        def look(got: Tensor, want: Tensor, request: Request) -> str:
            wrong = CheckFailure("value", "", yours=failure.yours, received=got)
            return (symptoms.symptom(wrong, want, lesson.symptom, _inputs(request)) or ("", ""))[0]

        if not confirmation.holds(student, right, requests, _blamed(failure, exchange), told[0], look):
            return None
    return Diagnosis(*told)


def _changes(student: Student, failure: CheckFailure, request: Request) -> bool:
    """Return whether the request that failed gets another answer each time, outside of training mode."""
    return failure.kind == "value" and not request.training and not confirmation.repeats(student, request)


def _blamed(failure: CheckFailure, exchange: Exchange) -> int:
    """Return which of the results is the one that the check found wrong."""
    given = tensors_of(exchange.value)
    return next((n for n, value in enumerate(given) if confirmation.alike(value, failure.received)), 0)


def _inputs(request: Request | None) -> list[Tensor]:
    return [x for x in request.args if isinstance(x, Tensor)] if request else []
