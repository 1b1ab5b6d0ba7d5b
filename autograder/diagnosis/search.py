"""Search wrong answers, known ones or made ones, for one that fails the same checks with the same wrong numbers."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.checks.execute import Check, replay, same_failure, silence
from autograder.content import references
from autograder.content.answers import Case, misconceptions
from autograder.content.lesson import Lesson
from autograder.content.marks import mark_value
from autograder.diagnosis import confirmation
from autograder.diagnosis.hearing import Hearing, is_large
from autograder.diagnosis.lost import Lost
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Request, Student
from course_lib import variants

#: Returns requests of many shapes for the function of a name.
Asked = Callable[[str], Sequence[Request]]


@dataclass(frozen=True)
class Search:
    """The rows that a student's answer has lost, and all that a wrong answer must agree with to explain them.

    ``passed`` are the checks that it did not fail; ``made`` returns the student who answers with the functions of a namespace.
    """

    lesson: Lesson
    exercise: str
    lost: Sequence[Lost]
    passed: Sequence[Check]
    student: Student | None
    hearing: Hearing
    asked: Asked
    made: Callable[[dict[str, Any]], Student]

    def best(self, number: int, cases: Iterable[Case] | None = None) -> tuple[Case | None, list[bool]]:
        """Return the wrong answer that fails row ``number`` like the student's and explains most other rows, and which ones.

        It is one of the known misconceptions, unless other ``cases`` are given.
        """
        found: tuple[Case | None, list[bool]] = (None, [])
        if not _comparable(self.lost[number]):
            return found
        requests = self._further(self.lost[number]) if self.student else []
        for case in misconceptions(self.lesson, self.exercise) if cases is None else cases:
            names = _names_in(self.lesson, case, variants.student()) if cases is None else _run(self.lesson, case)
            if names is None:
                continue
            known = self.made(names)
            same = self._same(known, number)
            if sum(same) <= sum(found[1]) or self._ruled_out(known, same):
                continue
            if self.student is None or (requests and confirmation.agree(self.student, known, requests)):
                found = (case, same)
                if all(same):  # no other can explain more
                    break
        return found

    def _same(self, known: Student, number: int) -> list[bool]:
        """Return in which rows a wrong answer fails like the student's; none if not in row ``number``."""
        same = [False] * len(self.lost)
        for other in (number, *(n for n in range(len(self.lost)) if n != number)):
            each = self.lost[other]
            same[other] = (
                _comparable(each)
                and confirmation.gives(known, each.exchange, each.failure.received)
                and _fails_alike(known, each, self.hearing.seed)
            )
            if not same[number]:
                break
        return same

    def _ruled_out(self, known: Student, same: Sequence[bool]) -> bool:
        """Return whether a wrong answer is none of the student's mistakes: it would fail a check that passed, or another row with
        other numbers, or it stops at fewer inputs than the student's answer.
        """
        seed, others = self.hearing.seed, [other for other, fits in zip(self.lost, same, strict=True) if not fits]
        return (
            any(_fails(known, check, seed) for check in self.passed)
            or sum(other.failure.kind == "crash" for other in others) > sum(same)
            or any(_contradicts(known, other, seed) for other in others)
        )

    def _further(self, lost: Lost) -> Sequence[Request]:
        """Return more requests to which a known mistake has to give the student's answers.

        An error, or a shape, says little by itself: many mistakes stop at the same inputs. So those of other shapes count too.
        """
        requests: Sequence[Request] = self.hearing.largest(lost.check)
        if lost.exchange is not None and lost.failure.kind in ("crash", "shape"):
            cut = confirmation.square(lost.exchange.request)
            usable = not isinstance(confirmation.outcome(self.hearing.right, cut), CheckFailure)
            requests = [*requests, *self.asked(lost.exchange.request.name), *([cut] if usable else [])]
        # A check that only measures asks nothing that can be asked again.
        requests = requests or self.asked(self.exercise)
        if not requests and lost.exchange is not None and is_large(lost.exchange.request):
            return [lost.exchange.request]  # thousands of draws that agree are no coincidence
        return requests


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
def _names_in(lesson: Lesson, case: Case, who: str) -> dict[str, Any] | None:
    """Return the same for each student: an answer may have drawn their numbers when it was run."""
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
