"""Search wrong answers, known ones or made ones, for one that fails the same checks with the same wrong numbers."""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from autograder.judging import confirmation, references
from autograder.judging.answers import Case, misconceptions
from autograder.judging.failure import CheckFailure
from autograder.judging.hearing import Hearing
from autograder.judging.lesson import Lesson, mark_value
from autograder.judging.lost import Lost
from autograder.judging.replay import Check, replay, same_failure, silence
from autograder.judging.student import Request, Student

#: Returns requests of many shapes for the function of a name.
Asked = Callable[[str], Sequence[Request]]


def best_case(
    lesson: Lesson,
    exercise: str,
    lost: Sequence[Lost],
    number: int,
    hearing: Hearing,
    passed: Sequence[Check],
    student: Student | None,
    asked: Asked,
    made: Callable[[dict[str, Any]], Student],
    cases: Iterable[Case] | None = None,
) -> tuple[Case | None, list[bool]]:
    """Return the wrong answer that fails check ``number`` like the student's and explains most other failures, and which ones.

    ``made`` returns the student who answers with the functions of a namespace. The wrong answer is one of the known
    misconceptions, unless other ``cases`` are given. It is none of the student's mistakes if it would
    fail a check in ``passed``, or another row with other numbers.
    """
    best: tuple[Case | None, list[bool]] = (None, [])
    if not _comparable(lost[number]):
        return best
    requests = _further(exercise, lost[number], hearing, asked) if student else []
    for case in misconceptions(lesson, exercise) if cases is None else cases:
        names = _names_in(lesson, case) if cases is None else _run(lesson, case)
        if names is None:
            continue
        known = made(names)
        same = [False] * len(lost)
        for other in (number, *(n for n in range(len(lost)) if n != number)):
            same[other] = (
                _comparable(lost[other])
                and confirmation.gives(known, lost[other].exchange, lost[other].failure.received)
                and _fails_alike(known, lost[other], hearing.seed)
            )
            if not same[number]:
                break
        if sum(same) <= sum(best[1]) or any(_fails(known, check, hearing.seed) for check in passed):
            continue
        others = [other for other, fits in zip(lost, same, strict=True) if not fits]
        if sum(other.failure.kind == "crash" for other in others) > sum(same):
            continue  # it stops at fewer inputs than the student's answer
        if any(_contradicts(known, other, hearing.seed) for other in others):
            continue
        if student is None or (requests and confirmation.agree(student, known, requests)):
            best = (case, same)
            if all(same):  # no other can explain more
                break
    return best


def _further(exercise: str, lost: Lost, hearing: Hearing, asked: Asked) -> Sequence[Request]:
    """Return more requests to which a known mistake has to give the student's answers.

    An error, or a shape, says little by itself: many mistakes stop at the same inputs. So those of other shapes count too.
    """
    requests = hearing.largest(lost.check)
    if lost.exchange is not None and lost.failure.kind in ("crash", "shape"):
        cut = confirmation.square(lost.exchange.request)
        usable = not isinstance(confirmation.outcome(hearing.right, cut), CheckFailure)
        requests = [*requests, *asked(lost.exchange.request.name), *([cut] if usable else [])]
    return requests or asked(exercise)  # a check that only measures asks nothing that can be asked again


#: Kinds of failures that show nothing of what the student's answer computes.
_SILENT = ("crash", "forbidden", "time")


def _contradicts(student: Student, lost: Lost, seed: int) -> bool:
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


def _fails(student: Student, check: Check, seed: int) -> bool:
    counts = mark_value(check, "points", 0) and not mark_value(check, "measured")
    return bool(counts) and replay(check, student, seed) is not None


def _fails_alike(student: Student, lost: Lost, seed: int) -> bool:
    """Return whether this known wrong answer fails the check in the same way as the student's answer."""
    other = replay(lost.check, student, seed)
    return other is not None and same_failure(lost.failure, other)


@functools.cache
def _names_in(lesson: Lesson, case: Case) -> dict[str, Any] | None:
    return _run(lesson, case)


def _run(lesson: Lesson, case: Case) -> dict[str, Any] | None:
    """Return the namespace of a wrong answer that has run, or None for one made by an edit that does not run."""
    found = references.namespace(lesson)
    try:
        with silence():
            exec(compile(case.text, str(case), "exec"), found)
    except Exception:
        return None
    return found
