"""The list "please look" of the report and the terminal: submissions that need a person, with the next step."""

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.roster.roster import Student
from autograder.grading.run.status import FAILED, GRADED, HUMAN, SAME_WORK, Outcome

ASKS = "asks to grade again"
#: The states in which somebody has to act come first, and what a person only reads comes last.
_ORDER = (HUMAN, FAILED, ASKS, GRADED)


@dataclass(frozen=True)
class Look:
    """One thing to look at: why, the students whom it concerns, their state, and the ``next_step``."""

    students: tuple[Student, ...]
    state: str
    why: str
    next_step: str

    @property
    def everyone(self) -> str:
        """The students' ids with their names."""
        return ", ".join(student.label for student in self.students)

    @property
    def who(self) -> str:
        """The same, or a few of them and the number of the others."""
        if len(self.students) <= _MOST:
            return self.everyone
        first = [student.label for student in self.students[: _MOST - 1]]
        return ", ".join([*first, f"{len(self.students) - len(first)} others"])


#: Students whom a row names; beyond that it counts them.
_MOST = 5


def things_to_look_at(assignment: str, rows: Iterable[tuple[Student, Outcome | None, Iterable[Request]]]) -> list[Look]:
    """Return everything that needs a person's attention. A reason that several students share is one entry, with all of them."""
    found: dict[tuple[str, str], list[Student]] = {}
    for student, outcome, requests in rows:
        whys = [(ASKS, f"{request.number}: {request.reason}") for request in requests if request.open]
        if outcome is not None:
            whys += [(outcome.state, outcome.reason)] if outcome.state != GRADED else []
            whys += [(outcome.state, note) for note in outcome.notes]
        for why in whys:
            found.setdefault(why, []).append(student)
    looks = [
        Look(tuple(students), state, why, _next_step(assignment, students[0].id, state, why))
        for (state, why), students in found.items()
    ]
    return sorted(looks, key=lambda look: _ORDER.index(look.state))


def _next_step(assignment: str, student: str, state: str, why: str) -> str:
    if state == ASKS:
        number = why.partition(":")[0]
        return f"autograder why {student} {assignment}, then: autograder requests {assignment} --answer {number} --text '…'"
    if state in (HUMAN, FAILED):
        mended = f"mend what is in submitted/{student}/{assignment}, then: " if state == HUMAN else ""
        return f"{mended}autograder grade {assignment} --student {student}"
    return f"autograder similar {assignment}" if why.startswith(SAME_WORK) else f"autograder why {student} {assignment}"
