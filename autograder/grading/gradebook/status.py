"""The grade status of each student in an assignment: the one source of exports, reports and pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import enrolled_students
from autograder.grading.gradebook.queries import Mark, Work, assignment_in, marks, opened, works
from autograder.grading.gradebook.regrade_requests import Request, requests
from autograder.grading.gradebook.sync import penalties, sync_gradebook
from autograder.grading.roster.roster import LateRule, Policy, Student, read_policy
from autograder.grading.run.status import FAILED, GRADED, HUMAN, Outcome, load_status
from autograder.grading.submission.read import spelling
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
class GradeStatus:
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
class ClassStatus:
    """The whole class in one assignment, and what a person should look at."""

    assignment: str
    released: Released
    students: tuple[GradeStatus, ...]
    due: datetime | None = None
    messages: tuple[str, ...] = field(default=())

    @property
    def parts(self) -> tuple[Part, ...]:
        return ungraded_parts(self.released)

    @property
    def points(self) -> float:
        return sum(part.points for part in self.parts)


def title_of(cell: ReleasedCell) -> str:
    """Return what a student calls a grade cell: the name of its exercise, or what a written question is about."""
    if cell.exercise:
        return cell.exercise
    words = cell.name.replace("_", " ").replace("-", " ").removeprefix("written ")
    return f"{words} (written)" if cell.cell_type == "markdown" else words


def ungraded_parts(released: Released) -> tuple[Part, ...]:
    return tuple(
        Part(cell.name, title_of(cell), cell.points) for cell in released.cells.values() if cell.grade or cell.task
    )


def load_class_status(course: Course, assignment: str) -> ClassStatus:
    """Return where everybody stands, after bringing the gradebook up to date with the roster and the rules.

    Raises LookupError if the gradebook does not know the assignment, and ValueError if the roster or a rule is wrong.
    """
    released = assignment_in(course, assignment)
    messages = sync_gradebook(course)
    policy = read_policy(course)
    everyone = enrolled_students(course, policy)
    spelt = spelling(student.id for student in everyone)
    outcomes = {spelt(student): outcome for student, outcome in load_status(course.grading, assignment).items()}
    with opened(course) as db:
        done, given = works(db), marks(db, assignment)
    charged = _charged(policy, done)
    of_student = {work.student: work for work in done if work.assignment == assignment}
    by_student: dict[str, list[Mark]] = defaultdict(list)
    for mark in given:
        by_student[mark.student].append(mark)
    asked = requests(course, assignment)
    waiting = {spelt(path.parent.name) for path in (course.grading / "submitted").glob(f"*/{assignment}")}
    extra = [Student(who) for who in sorted({*outcomes, *waiting} - {student.id for student in everyone})]
    return ClassStatus(
        assignment,
        released,
        tuple(
            _standing(
                student,
                assignment,
                ungraded_parts(released),
                of_student.get(student.id),
                by_student.get(student.id, ()),
                outcomes.get(student.id),
                student.id in waiting,
                charged,
                tuple(asked.get(student.id, ())),
            )
            for student in (*everyone, *extra)
        ),
        next((work.due for work in done if work.assignment == assignment), policy.due.get(assignment)),
        tuple(messages),
    )


def _charged(policy: Policy, done: Sequence[Work]) -> Mapping[str, int]:
    """Return the days late by notebook; without a rule of ours, whole days begun."""
    rule = policy.late or LateRule()
    return {notebook: days for notebook, (days, _) in penalties(rule, done).items()}


def _standing(
    student: Student,
    assignment: str,
    blank: Sequence[Part],
    work: Work | None,
    given: Sequence[Mark],
    outcome: Outcome | None,
    handed_in: bool,
    charged: Mapping[str, int],
    asked: tuple[Request, ...],
) -> GradeStatus:
    if student.is_excused(assignment):
        return GradeStatus(student, EXCUSED, tuple(blank), outcome=outcome, requests=asked)
    if outcome is not None and outcome.state != GRADED:
        return GradeStatus(student, outcome.state, tuple(blank), outcome=outcome, requests=asked)
    if work is None or (outcome is None and not given):
        return GradeStatus(student, WAITING if handed_in else MISSING, tuple(blank), requests=asked)
    mark_of = {mark.cell: mark for mark in given}
    parts = tuple(_part(part, mark_of.get(part.cell)) for part in blank)
    open_ones = any(part.earned is None for part in parts)
    raw = round(sum(part.earned or 0.0 for part in parts), 4)
    return GradeStatus(
        student,
        UNMARKED if open_ones else GRADED,
        parts,
        raw,
        work.penalty or 0.0,
        charged.get(work.notebook, 0),
        work.handed_in,
        outcome,
        asked,
    )


def _part(blank: Part, mark: Mark | None) -> Part:
    if mark is None:
        return blank
    return Part(blank.cell, blank.title, blank.points, mark.earned, mark.manual is not None, mark.comment)
