"""The grade status of each student in an assignment: the one source of exports, reports and pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import enrolled_students
from autograder.grading.gradebook.queries import (
    Mark,
    SubmissionRow,
    gradebook_session,
    marks,
    released_assignment,
    submission_rows,
)
from autograder.grading.gradebook.regrade_requests import Request, requests
from autograder.grading.gradebook.sync import penalties, sync_gradebook
from autograder.grading.roster.roster import DEFAULT_RULE, LateRule, OptionalRule, Policy, Student, read_policy
from autograder.grading.run.status import FAILED, GRADED, HUMAN, Outcome, load_status
from autograder.grading.submission.read import spelling
from autograder.grading.submission.released import Released

#: The states besides those of a graded hand-in. None of them is the same as 0 points.
UNMARKED, WAITING, MISSING, EXCUSED = "not yet marked", "not graded yet", "not handed in", "excused"
#: In the order in which they are listed.
STATES = (GRADED, UNMARKED, WAITING, HUMAN, FAILED, MISSING, EXCUSED)


@dataclass(frozen=True)
class Part:
    """One exercise or written question. ``earned`` is None until it has been decided."""

    cell: str
    title: str
    points: float
    earned: float | None = None
    by_hand: bool = False
    comment: str = ""
    optional: bool = False

    @property
    def label(self) -> str:
        """The title, with a mark if the part is optional."""
        return f"{self.title} (optional)" if self.optional else self.title


def points_and_possible(parts: Sequence[Part], rule: OptionalRule) -> tuple[float, float]:
    """Return the points decided so far and the points possible, counting optional parts by the course's rule."""
    core, optional = ([part for part in parts if part.optional is kind] for kind in (False, True))
    earned = (sum(part.earned or 0.0 for part in some) for some in (core, optional))
    return rule.total(*earned, *(sum(part.points for part in some) for some in (core, optional)))


@dataclass(frozen=True)
class GradeStatus:
    """One student's work. ``raw`` are the points decided so far, before the ``penalty`` for lateness."""

    student: Student
    state: str
    parts: tuple[Part, ...]
    raw: float = 0.0
    penalty: float = 0.0
    days_late: int = 0
    handed_in: datetime | None = None
    outcome: Outcome | None = None
    requests: tuple[Request, ...] = ()
    rule: OptionalRule = DEFAULT_RULE

    @property
    def points(self) -> float:
        """The points possible."""
        return points_and_possible(self.parts, self.rule)[1]

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
        """The reason for missing points, as text for a person."""
        return self.outcome.reason if self.outcome is not None and self.state in (HUMAN, FAILED) else ""


@dataclass(frozen=True)
class ClassStatus:
    """The status of the whole class in one assignment, and messages for a person."""

    assignment: str
    released: Released
    students: tuple[GradeStatus, ...]
    due: datetime | None = None
    messages: tuple[str, ...] = field(default=())
    rule: OptionalRule = DEFAULT_RULE

    @property
    def parts(self) -> tuple[Part, ...]:
        return ungraded_parts(self.released)

    @property
    def points(self) -> float:
        """The points possible."""
        return points_and_possible(self.parts, self.rule)[1]

    @property
    def counts(self) -> dict[str, int]:
        """The number of students in each state."""
        return {state: sum(grade.state == state for grade in self.students) for state in STATES}


def part_title(name: str, cell_type: str, exercise: str | None) -> str:
    """Return the title of a grade cell for students: the exercise that it checks, or the topic of a written question."""
    if exercise:
        return exercise
    words = name.replace("_", " ").replace("-", " ").removeprefix("written ")
    return f"{words} (written)" if cell_type == "markdown" else words


def ungraded_parts(released: Released) -> tuple[Part, ...]:
    return tuple(
        Part(
            cell.name,
            part_title(cell.name, cell.cell_type, cell.exercise),
            cell.points,
            optional=cell.name in released.optional,
        )
        for cell in released.cells.values()
        if cell.grade or cell.task
    )


def load_class_status(course: Course, assignment: str) -> ClassStatus:
    """Return the status of the whole class, after bringing the gradebook up to date with the roster and the rules.

    Raises LookupError if the gradebook does not have the assignment, and ValueError if the roster or a rule is invalid.
    """
    released = released_assignment(course, assignment)
    messages = sync_gradebook(course)
    policy = read_policy(course)
    everyone = enrolled_students(course, policy)
    as_in_roster = spelling(student.id for student in everyone)
    outcomes = {as_in_roster(student): outcome for student, outcome in load_status(course.grading, assignment).items()}
    with gradebook_session(course) as db:
        rows, marks_of_all = submission_rows(db), marks(db, assignment)
    days_late = _days_late(policy, rows)
    row_of = {row.student: row for row in rows if row.assignment == assignment}
    marks_of: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks_of_all:
        marks_of[mark.student].append(mark)
    requests_of = requests(course, assignment)
    names = course.lessons.all_names(assignment)
    waiting = {
        as_in_roster(path.parent.name) for path in (course.grading / "submitted").glob("*/*") if path.name in names
    }
    extra = [Student(student_id) for student_id in sorted({*outcomes, *waiting} - {student.id for student in everyone})]
    return ClassStatus(
        assignment,
        released,
        tuple(
            _grade_status(
                student,
                assignment,
                ungraded_parts(released),
                row_of.get(student.id),
                marks_of.get(student.id, ()),
                outcomes.get(student.id),
                student.id in waiting,
                days_late,
                tuple(requests_of.get(student.id, ())),
                policy.optional,
            )
            for student in (*everyone, *extra)
        ),
        next((row.due for row in rows if row.assignment == assignment), policy.due.get(assignment)),
        tuple(messages),
        policy.optional,
    )


def _days_late(policy: Policy, rows: Sequence[SubmissionRow]) -> Mapping[str, int]:
    """Return the days late by notebook; without a rule in ``course.toml``, the number of days begun."""
    rule = policy.late or LateRule()
    return {notebook: days for notebook, (days, _) in penalties(rule, rows).items()}


def _grade_status(
    student: Student,
    assignment: str,
    ungraded: Sequence[Part],
    row: SubmissionRow | None,
    marks: Sequence[Mark],
    outcome: Outcome | None,
    handed_in: bool,
    days_late: Mapping[str, int],
    requests: tuple[Request, ...],
    rule: OptionalRule,
) -> GradeStatus:
    about: dict[str, Any] = {"requests": requests, "rule": rule}
    if student.is_excused(assignment):
        return GradeStatus(student, EXCUSED, tuple(ungraded), outcome=outcome, **about)
    if outcome is not None and outcome.state != GRADED:
        return GradeStatus(student, outcome.state, tuple(ungraded), outcome=outcome, **about)
    if row is None or (outcome is None and not marks):
        return GradeStatus(student, WAITING if handed_in else MISSING, tuple(ungraded), **about)
    mark_of = {mark.cell: mark for mark in marks}
    parts = tuple(_part(part, mark_of.get(part.cell)) for part in ungraded)
    ignored = rule is OptionalRule.IGNORE
    is_open = any(part.earned is None for part in parts if not (ignored and part.optional))
    raw = round(points_and_possible(parts, rule)[0], 4)
    return GradeStatus(
        student,
        UNMARKED if is_open else GRADED,
        parts,
        raw,
        row.penalty or 0.0,
        days_late.get(row.notebook, 0),
        row.handed_in,
        outcome,
        **about,
    )


def _part(ungraded: Part, mark: Mark | None) -> Part:
    if mark is None:
        return ungraded
    return replace(ungraded, earned=mark.earned, by_hand=mark.manual is not None, comment=mark.comment)
