"""Find the known misconception that explains a student's answer.

A failed check is run again on the same inputs with each known wrong answer in place of the student's. The diagnosis names the
one that fails the same checks with the same wrong numbers. If none does, the failure may name its own cause, or the wrong
numbers alone may show a symptom (:mod:`autograder.judging.symptoms`).
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from autograder.judging import confirmation, references, symptoms, unexplained
from autograder.judging.answers import Case, misconceptions
from autograder.judging.failure import CheckFailure, Diagnosis
from autograder.judging.lesson import Lesson, mark_value
from autograder.judging.local import LocalStudent
from autograder.judging.replay import Check, replay, same_failure, silence
from autograder.judging.student import Exchange, Student
from autograder.judging.tensors import tensors_of


@dataclass(frozen=True)
class Lost:
    """A failed check, its failure, and the last request that it sent to the student."""

    check: Check
    failure: CheckFailure
    exchange: Exchange | None = None


def diagnose(
    lesson: Lesson,
    exercise: str,
    lost: Sequence[Lost],
    seed: int,
    passed: Sequence[Check] = (),
    student: Student | None = None,
) -> list[Diagnosis | None]:
    """Return a diagnosis, or None, for each failed check.

    A misconception that would fail a check in ``passed`` is ruled out, and one that does not give the answers of the
    ``student`` to further requests. Once a row has a cause, symptoms of other rows are left alone: they come from it.
    """
    found: list[Diagnosis | None] = [_own_cause(lesson, each.failure) for each in lost]
    if any(each.failure.kind == "parameters" for each in lost):
        # Parameters that are missing or too many keep drawn numbers: what follows from that is no second mistake.
        blamed = [each.failure.kind == "parameters" for each in lost]
        first = next((own for own, its in zip(found, blamed, strict=True) if own and its), None)
        return [own or first if its else None for own, its in zip(found, blamed, strict=True)]
    explained = [result is not None for result in found]
    by_case: set[int] = set()
    enough = any(own and each.failure.kind in _EXPLAIN_VALUES for own, each in zip(found, lost, strict=True))
    for number in range(len(lost)):
        if explained[number] or (lost[number].failure.cause and enough):
            continue  # a second misconception is rare, and the search is slow
        best, same = _best_case(lesson, exercise, lost, number, seed, passed, student)
        for other, fits in enumerate(same):
            if best and fits:  # also where the check itself guesses a cause
                found[other], explained[other] = Diagnosis(best.title, best.hint, best.why), True
                enough = True
                by_case.add(other)
    checks = [each.check for each in lost if not mark_value(each.check, "measured")]
    asked = functools.cache(lambda name: confirmation.of_many_shapes(_right(lesson), checks, seed, name))
    for number, each in enumerate(lost):
        if found[number] is None and (not enough or each.failure.kind not in ("value", "crash")):
            found[number] = unexplained.diagnosis(lesson, each.failure, each.exchange, student, _right(lesson), asked)
            enough = enough or found[number] is not None
    for number, each in enumerate(lost):
        if found[number] is None and each.failure.kind == "crash":  # the same error has the same cause
            found[number] = next((found[n] for n in range(number) if _same_error(lost[n], each)), None)
    if student is not None and not any(found) and all(_is_gradient(each.failure) for each in lost):
        return [Diagnosis(*symptoms.CUT) for _ in lost]
    return _without_echoes(lost, found, by_case)


#: Kinds of failures that one mistake brings about in many rows, each with another guess at its cause.
_ECHOES = (
    *("value", "shape", "crash", "constant", "random", "not numbers", "dropout", "order", "leak", "mask"),
    *("sees", "first", "blind", "caption", "span", "hidden", "padding", "gradient"),
)


def _without_echoes(
    lost: Sequence[Lost], found: Sequence[Diagnosis | None], by_case: Iterable[int]
) -> list[Diagnosis | None]:
    """Keep, of the rows that one mistake may bring about, the known misconceptions, or else the first cause alone."""
    rows = [n for n, each in enumerate(lost) if found[n] and each.failure.kind in _ECHOES]
    kept = {found[n] for n in rows if n in by_case} or {found[n] for n in rows[:1]}
    return [None if n in rows and cause not in kept else cause for n, cause in enumerate(found)]


#: Kinds of failures that bring about wrong values in other rows. Another error type, or a changed input, does not.
_EXPLAIN_VALUES = ("shape", "type", "crash", "forbidden", "constant", "random", "not numbers")


def _same_error(a: Lost, b: Lost) -> bool:
    return a.failure.kind == "crash" and (a.failure.message, a.failure.yours) == (b.failure.message, b.failure.yours)


def _is_gradient(failure: CheckFailure) -> bool:
    return failure.kind == "value" and failure.yours.startswith("d/d")


def _own_cause(lesson: Lesson, failure: CheckFailure) -> Diagnosis | None:
    """Return the cause that the check itself reports. A wrong value may have many causes, so misconceptions come first."""
    if failure.kind == "crash" and "leaf Variable" in str(
        failure.received
    ):  # PyTorch's message for every in-place operation on an input
        told = symptoms.symptom(failure, None)
        return Diagnosis(*told) if told else None
    return Diagnosis(failure.cause, failure.hint) if failure.cause and failure.kind != "value" else None


def _best_case(
    lesson: Lesson,
    exercise: str,
    lost: Sequence[Lost],
    number: int,
    seed: int,
    passed: Sequence[Check],
    student: Student | None,
) -> tuple[Case | None, list[bool]]:
    """Return the wrong answer that fails check ``number`` like the student's and explains most other failures, and which ones."""
    best: tuple[Case | None, list[bool]] = (None, [])
    if not _comparable(lost[number]):
        return best
    requests = confirmation.requests_of(_right(lesson), lost[number].check, seed) if student else []
    for case in misconceptions(lesson, exercise):
        known = LocalStudent(_known_answer(lesson, case))
        same = [False] * len(lost)
        for other in (number, *(n for n in range(len(lost)) if n != number)):
            same[other] = (
                _comparable(lost[other])
                and _answers_alike(known, lost[other])
                and _fails_alike(known, lost[other], seed)
            )
            if not same[number]:
                break
        if sum(same) <= sum(best[1]) or any(_fails(known, check, seed) for check in passed):
            continue
        if student is None or confirmation.agree(student, known, requests):
            best = (case, same)
            if all(same):  # no other can explain more
                break
    return best


def _comparable(lost: Lost) -> bool:
    """Return whether known wrong answers can be compared with this failure: measured checks are slow and not reproducible."""
    return lost.failure.kind not in ("unwritten", "missing", "time") and not mark_value(lost.check, "measured")


def _answers_alike(student: LocalStudent, lost: Lost) -> bool:
    """Return whether a known wrong answer gives the student's answer to the last request before the failure.

    One request costs a fraction of the whole check and rules out most candidates.
    """
    exchange = lost.exchange
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
    received = lost.failure.received
    blamed = [n for n, x in enumerate(own) if isinstance(received, Tensor) and confirmation.alike(x, received)]
    return any(confirmation.alike(own[n], other[n]) for n in (blamed or range(len(own))))


def _fails(student: LocalStudent, check: Check, seed: int) -> bool:
    counts = mark_value(check, "points", 0) and not mark_value(check, "measured")
    return bool(counts) and replay(check, student, seed) is not None


def _fails_alike(student: LocalStudent, lost: Lost, seed: int) -> bool:
    """Return whether this known wrong answer fails the check in the same way as the student's answer."""
    other = replay(lost.check, student, seed)
    return other is not None and same_failure(lost.failure, other)


def _right(lesson: Lesson) -> LocalStudent:
    return LocalStudent(references.namespace(lesson), lesson, deep=False)


@functools.cache
def _known_answer(lesson: Lesson, case: Case) -> dict[str, Any]:
    found = references.namespace(lesson)
    exec(compile(case.text, str(case), "exec"), found)
    return found
