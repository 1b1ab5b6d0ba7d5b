"""Find the known misconception that explains a student's answer.

A failed check is run again on the same inputs with each known wrong answer in place of the student's. The diagnosis names the
one that fails the same checks with the same wrong numbers. If none does, the failure may name its own cause, or the wrong
numbers alone may show a symptom (:mod:`autograder.judging.symptoms`). If nothing is found in any row, one thing about the calls
is changed at a time, to see what the answer ignores or mixes (:mod:`autograder.judging.probes`).
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograder.judging import confirmation, probes, references, symptoms, unexplained
from autograder.judging.answers import Case, misconceptions
from autograder.judging.failure import CheckFailure, Diagnosis
from autograder.judging.lesson import Lesson, mark_value
from autograder.judging.local import LocalStudent
from autograder.judging.located import located
from autograder.judging.lost import EXPLAIN_VALUES, Lost, same_error, without_echoes
from autograder.judging.replay import Check, replay, same_failure
from autograder.judging.student import Request, Student

#: Returns requests of many shapes for the function of a name.
Asked = Callable[[str], Sequence[Request]]


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
    checks = [each.check for each in lost if not mark_value(each.check, "measured")]
    asked = functools.cache(lambda name: confirmation.of_many_shapes(right(lesson), checks, seed, name))
    found: list[Diagnosis | None] = [_own_cause(each, student, asked) for each in lost]
    if any(each.failure.kind == "parameters" for each in lost):
        # Parameters that are missing or too many keep drawn numbers: what follows from that is no second mistake.
        blamed = [each.failure.kind == "parameters" for each in lost]
        first = next((own for own, its in zip(found, blamed, strict=True) if own and its), None)
        return [own or first if its else None for own, its in zip(found, blamed, strict=True)]
    explained = [result is not None for result in found]
    by_case: set[int] = set()
    enough = any(own and each.failure.kind in EXPLAIN_VALUES for own, each in zip(found, lost, strict=True))
    for number in range(len(lost)):
        if explained[number] or (lost[number].failure.cause and enough):
            continue  # a second misconception is rare, and the search is slow
        best, same = _best_case(lesson, exercise, lost, number, seed, passed, student, asked)
        for other, fits in enumerate(same):
            if best and fits:  # also where the check itself guesses a cause
                found[other], explained[other] = Diagnosis(best.title, best.hint, best.why), True
                enough = True
                by_case.add(other)
    for number, each in enumerate(lost):
        if found[number] is None and (not enough or each.failure.kind not in ("value", "crash")):
            found[number] = unexplained.diagnosis(lesson, each.failure, each.exchange, student, right(lesson), asked)
            enough = enough or found[number] is not None
    for number, each in enumerate(lost):
        if found[number] is None and each.failure.kind == "crash":  # the same error has the same cause
            found[number] = next((found[n] for n in range(number) if same_error(lost[n], each)), None)
    if student is not None and not any(found):
        if all(_is_wrong_gradient(each.failure) for each in lost):
            return [Diagnosis(*symptoms.CUT) for _ in lost]
        found = probes.of_rows(lost, student, right(lesson), references.namespace(lesson), asked, located)
    return without_echoes(lost, found, by_case)


def _is_wrong_gradient(failure: CheckFailure) -> bool:
    return failure.kind == "value" and failure.yours.startswith("d/d") and not symptoms.is_rounded(failure)


def _own_cause(lost: Lost, student: Student | None, asked: Asked) -> Diagnosis | None:
    """Return the cause that the check itself reports. A wrong value may have many causes, so misconceptions come first."""
    failure = lost.failure
    if failure.kind == "crash" and "leaf Variable" in str(
        failure.received
    ):  # PyTorch's message for every in-place operation on an input
        told = symptoms.symptom(failure, None)
        return Diagnosis(*told) if told else None
    if failure.kind == "constant" and _varies(lost, student, asked):
        return None
    return Diagnosis(failure.cause, failure.hint) if failure.cause and failure.kind != "value" else None


def _varies(lost: Lost, student: Student | None, asked: Asked) -> bool:
    """Return whether an answer that is the same for the two inputs of a check differs for others."""
    if student is None or lost.exchange is None:
        return False
    return confirmation.varies(student, asked(lost.exchange.request.name))


def _best_case(
    lesson: Lesson,
    exercise: str,
    lost: Sequence[Lost],
    number: int,
    seed: int,
    passed: Sequence[Check],
    student: Student | None,
    asked: Asked,
) -> tuple[Case | None, list[bool]]:
    """Return the wrong answer that fails check ``number`` like the student's and explains most other failures, and which ones.

    It is none of the student's mistakes if it would fail a check in ``passed``, or another row with other numbers.
    """
    best: tuple[Case | None, list[bool]] = (None, [])
    if not _comparable(lost[number]):
        return best
    requests = _further(lesson, exercise, lost[number], seed, asked) if student else []
    for case in misconceptions(lesson, exercise):
        known = LocalStudent(_known_answer(lesson, case))
        same = [False] * len(lost)
        for other in (number, *(n for n in range(len(lost)) if n != number)):
            same[other] = (
                _comparable(lost[other])
                and confirmation.gives(known, lost[other].exchange, lost[other].failure.received)
                and _fails_alike(known, lost[other], seed)
            )
            if not same[number]:
                break
        if sum(same) <= sum(best[1]) or any(_fails(known, check, seed) for check in passed):
            continue
        others = [other for other, fits in zip(lost, same, strict=True) if not fits]
        if sum(other.failure.kind == "crash" for other in others) > sum(same):
            continue  # it stops at fewer inputs than the student's answer
        if any(_contradicts(known, other, seed) for other in others):
            continue
        if student is None or (requests and confirmation.agree(student, known, requests)):
            best = (case, same)
            if all(same):  # no other can explain more
                break
    return best


def _further(lesson: Lesson, exercise: str, lost: Lost, seed: int, asked: Asked) -> Sequence[Request]:
    """Return more requests to which a known mistake has to give the student's answers.

    An error, or a shape, says little by itself: many mistakes stop at the same inputs. So those of other shapes count too.
    """
    requests = confirmation.requests_of(right(lesson), lost.check, seed)
    if lost.exchange is not None and lost.failure.kind in ("crash", "shape"):
        cut = confirmation.square(lost.exchange.request)
        usable = not isinstance(confirmation.outcome(right(lesson), cut), CheckFailure)
        requests = [*requests, *asked(lost.exchange.request.name), *([cut] if usable else [])]
    return requests or asked(exercise)  # a check that only measures asks nothing that can be asked again


#: Kinds of failures that show nothing of what the student's answer computes.
_SILENT = ("crash", "forbidden", "time")


def _contradicts(student: LocalStudent, lost: Lost, seed: int) -> bool:
    """Return whether a known mistake fails this check too, but each time in another way than the student's answer."""
    if lost.failure.kind in _SILENT or not _comparable(lost):
        return False
    own, again = (replay(lost.check, student, seed) for _ in range(2))
    if own is None or again is None or own.kind in _SILENT:
        return False
    return same_failure(own, again) and not same_failure(own, lost.failure)


def _comparable(lost: Lost) -> bool:
    """Return whether known wrong answers can be compared with this failure: measured checks are slow and not reproducible."""
    return lost.failure.kind not in ("unwritten", "missing", "time") and not mark_value(lost.check, "measured")


def _fails(student: LocalStudent, check: Check, seed: int) -> bool:
    counts = mark_value(check, "points", 0) and not mark_value(check, "measured")
    return bool(counts) and replay(check, student, seed) is not None


def _fails_alike(student: LocalStudent, lost: Lost, seed: int) -> bool:
    """Return whether this known wrong answer fails the check in the same way as the student's answer."""
    other = replay(lost.check, student, seed)
    return other is not None and same_failure(lost.failure, other)


class _Right(LocalStudent):
    """The right answers, which may use what students may not."""

    def _forbidden(self, exercise: str) -> tuple[str, ...]:
        return ()


def right(lesson: Lesson) -> LocalStudent:
    return _Right(references.namespace(lesson), lesson, deep=False)


@functools.cache
def _known_answer(lesson: Lesson, case: Case) -> dict[str, Any]:
    found = references.namespace(lesson)
    exec(compile(case.text, str(case), "exec"), found)
    return found
