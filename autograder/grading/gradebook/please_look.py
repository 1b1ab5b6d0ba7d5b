"""The list "please look" of the report and the terminal: submissions that need a person, with the next step."""

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.roster.roster import Student
from autograder.grading.run.status import FAILED, GRADED, HUMAN, LATE, SAME_WORK, Outcome, first_with_same_work

ASKS = "asks to grade again"
#: The states in which somebody has to act come first, and what a person only reads comes last.
_ORDER = (HUMAN, FAILED, ASKS, GRADED)


@dataclass(frozen=True)
class Look:
    """One thing to look at: the reason, the students concerned, their state, and the ``next_step``."""

    students: tuple[Student, ...]
    state: str
    why: str
    next_step: str

    @property
    def everyone(self) -> str:
        """The ids of all these students with their names."""
        return ", ".join(student.label for student in self.students)

    @property
    def who(self) -> str:
        """The same list, shortened to a few students and the number of the others."""
        if len(self.students) <= _MOST:
            return self.everyone
        first = [student.label for student in self.students[: _MOST - 1]]
        return ", ".join([*first, f"{len(self.students) - len(first)} others"])


#: Maximum of students named in a row; the others are counted.
_MOST = 5


def things_to_look_at(assignment: str, rows: Iterable[tuple[Student, Outcome | None, Iterable[Request]]]) -> list[Look]:
    """Return everything that needs a person's attention. Students with the same reason share one entry."""
    students_of: dict[tuple[str, str, str], list[Student]] = {}
    rows = list(rows)
    same_as = first_with_same_work(outcome for _, outcome, _ in rows if outcome is not None)
    for student, outcome, requests in rows:
        whys = [(ASKS, f"{request.number}: {request.reason}") for request in requests if request.open]
        if outcome is not None:
            whys += [(outcome.state, outcome.reason)] if outcome.state != GRADED else []
            whys += [(outcome.state, note) for note in outcome.notes]
        for state, why in whys:
            together = same_as.get(student.id, "") if why.startswith(SAME_WORK) else ""
            key = (state, f"{SAME_WORK} each other" if together else why, together)
            students_of.setdefault(key, []).append(student)
    looks = [
        Look(tuple(students), state, why, _next_step(assignment, students[0].id, state, why))
        for (state, why, _), students in students_of.items()
    ]
    return sorted(looks, key=lambda look: _ORDER.index(look.state))


def _next_step(assignment: str, student: str, state: str, why: str) -> str:
    if state == ASKS:
        number = why.partition(":")[0]
        return f"autograder why {student} {assignment}, then: autograder requests {assignment} --answer {number} --text '…'"
    if state in (HUMAN, FAILED):
        mended = f"mend what is in submitted/{student}/{assignment}, then: " if state == HUMAN else ""
        return f"{mended}autograder grade {assignment} --student {student}"
    if LATE in why:
        return (
            f"write the time, such as 2026-10-06 08:15:00 UTC, into submitted/{student}/{assignment}/timestamp.txt, then: "
            f"autograder grade {assignment} --student {student}"
        )
    return f"autograder similar {assignment}" if why.startswith(SAME_WORK) else f"autograder why {student} {assignment}"
