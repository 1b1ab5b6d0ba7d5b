"""Where each student of the class stands in an assignment: the one source of exports, of the class report and of ``why``."""

from dataclasses import dataclass, field
from datetime import datetime

from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.roster.roster import Student
from autograder.grading.run.outcome import FAILED, GRADED, HUMAN, Outcome
from autograder.grading.submission.released import Released, ReleasedCell

#: The states besides those of a graded hand-in. None of them is the same as 0 points.
UNMARKED, WAITING, MISSING, EXCUSED = "not yet marked", "not graded yet", "not handed in", "excused"
#: In the order in which they are listed.
STATES = (GRADED, UNMARKED, WAITING, HUMAN, FAILED, MISSING, EXCUSED)


@dataclass(frozen=True)
class Part:
    """One exercise or written question. ``earned`` is None where nothing has been decided yet."""

    cell: str
    title: str
    points: float
    earned: float | None = None
    by_hand: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Standing:
    """One student's work. ``raw`` are the points without the ``penalty`` for lateness, of what has been decided so far."""

    student: Student
    state: str
    parts: tuple[Part, ...]
    raw: float = 0.0
    penalty: float = 0.0
    days_late: int = 0
    handed_in: datetime | None = None
    outcome: Outcome | None = None
    requests: tuple[Request, ...] = ()

    @property
    def points(self) -> float:
        return sum(part.points for part in self.parts)

    @property
    def total(self) -> float | None:
        """The points that count, or None in every state but "graded"."""
        return max(0.0, round(self.raw - self.penalty, 4)) if self.state == GRADED else None

    @property
    def so_far(self) -> float | None:
        """The points that count, with open questions as 0; None if nothing has been graded."""
        return max(0.0, round(self.raw - self.penalty, 4)) if self.state in (GRADED, UNMARKED) else None

    @property
    def reason(self) -> str:
        """Why there are no points, for a person."""
        return self.outcome.reason if self.outcome is not None and self.state in (HUMAN, FAILED) else ""


@dataclass(frozen=True)
class ClassStanding:
    """The whole class in one assignment, and what a person should look at."""

    assignment: str
    released: Released
    students: tuple[Standing, ...]
    due: datetime | None = None
    told: tuple[str, ...] = field(default=())

    @property
    def parts(self) -> tuple[Part, ...]:
        return blank_parts(self.released)

    @property
    def points(self) -> float:
        return sum(part.points for part in self.parts)


def title_of(cell: ReleasedCell) -> str:
    """Return what a student calls a grade cell: the name of its exercise, or what a written question is about."""
    if cell.exercise:
        return cell.exercise
    words = cell.name.replace("_", " ").replace("-", " ").removeprefix("written ")
    return f"{words} (written)" if cell.cell_type == "markdown" else words


def blank_parts(released: Released) -> tuple[Part, ...]:
    return tuple(
        Part(cell.name, title_of(cell), cell.points) for cell in released.cells.values() if cell.grade or cell.task
    )
