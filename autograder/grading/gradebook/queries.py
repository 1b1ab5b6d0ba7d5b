"""Queries on nbgrader's gradebook: assignments, students, points and comments.

Whole tables are read as plain rows: nbgrader's own objects compute every sum again for each student.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from filelock import FileLock

from autograder.grading.course import Course
from autograder.grading.run.result import Result, max_points
from autograder.grading.submission.released import Released, from_gradebook

#: Seconds to wait for a gradebook that another program has locked.
PATIENCE = 60.0


def database(course: Course) -> str:
    return f"sqlite:///{course.grading / 'gradebook.db'}"


def assignment_in(course: Course, assignment: str, db_url: str = "") -> Released:
    """Return the released notebook of an assignment. Raises LookupError if the gradebook does not know it."""
    from nbgrader.api import Gradebook, MissingEntry

    db_url = db_url or database(course)
    missing = LookupError(
        f"The gradebook does not know the assignment {assignment!r} yet. Run this first, in {course.root}: "
        f"nbgrader generate_assignment {assignment}"
    )
    if db_url == database(course) and not (course.grading / "gradebook.db").exists():
        raise missing
    try:
        with Gradebook(db_url) as gradebook:
            names = [notebook.name for notebook in gradebook.find_assignment(assignment).notebooks]
        if len(names) != 1:
            raise LookupError(f"Expected one notebook in {assignment!r}, but the gradebook knows {len(names)}.")
        notebook = course.release / assignment / f"{names[0]}.ipynb"
        return from_gradebook(db_url, assignment, notebook, course.lessons)
    except MissingEntry:
        raise missing from None


def known_students(course: Course) -> list[str]:
    """Return the ids of the students in the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(database(course)) as gradebook:
        return [student.id for student in gradebook.students]


@dataclass(frozen=True)
class Committed:
    """The gradebook's record of one submission: points by grade cell, and the time of handing in."""

    scores: Mapping[str, float | None]
    timestamp: Any = None


def committed_scores(db_url: str, assignment: str) -> dict[str, Committed]:
    """Return the gradebook's records of an assignment's submissions, by student."""
    from nbgrader.api import Gradebook

    with Gradebook(db_url) as gradebook:
        return {
            submission.student_id: Committed(
                {grade.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades},
                submission.timestamp,
            )
            for submission in gradebook.assignment_submissions(assignment)
        }


def committed_key(course: Course, released: Released, student: str) -> str:
    """Return the key of the result behind the student's autograded notebook, or the empty string."""
    path = course.grading / "autograded" / student / released.assignment / f"{released.notebook}.ipynb"
    try:
        return str(json.loads(path.read_text(encoding="utf8"))["metadata"]["course"]["result"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def agrees(there: Committed | None, result: Result, released: Released) -> bool:
    """Return whether the gradebook has the points of this result."""
    if there is None:
        return False
    wanted = {name: max_points(score, released.cells[name].points) for name, score in result.scores.items()}
    return all(there.scores.get(name) == points for name, points in wanted.items())


@dataclass(frozen=True)
class Work:
    """One student's hand-in of one assignment. Times are in UTC; ``score`` and ``possible`` are points without penalty."""

    notebook: str
    submission: str
    student: str
    assignment: str
    handed_in: datetime | None
    due: datetime | None
    extension: timedelta | None
    penalty: float | None
    score: float
    possible: float

    @property
    def late(self) -> timedelta:
        """How long after the due date, with its extension, the work was handed in; zero if that is not known."""
        if self.handed_in is None or self.due is None:
            return timedelta(0)
        return max(timedelta(0), self.handed_in - self.due - (self.extension or timedelta(0)))


@dataclass(frozen=True)
class Mark:
    """The points of one grade cell of one student's work, and what a person wrote about it."""

    id: str
    notebook: str
    student: str
    cell: str
    auto: float | None
    manual: float | None
    extra: float | None
    open: bool
    comment: str = ""

    @property
    def earned(self) -> float | None:
        """The points, or None if a person still has to give them."""
        if self.open:
            return None
        given = self.manual if self.manual is not None else self.auto
        return None if given is None else given + (self.extra or 0.0)


@contextmanager
def opened(course: Course) -> Iterator[Any]:
    """Yield the gradebook's database session, while no other command of ours writes to it."""
    from nbgrader.api import Gradebook

    with FileLock(course.grading / "gradebook.lock", timeout=PATIENCE), Gradebook(database(course)) as gradebook:
        yield gradebook.db


def works(db: Any, assignment: str | None = None) -> list[Work]:
    """Return the hand-ins of an assignment, or of all."""
    from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
    from sqlalchemy import func

    scores = dict(db.query(Grade.notebook_id, func.sum(Grade.score)).group_by(Grade.notebook_id).all())
    possible = _possible(db)
    asked = db.query(
        SubmittedNotebook.id,
        SubmittedAssignment.id,
        SubmittedAssignment.student_id,
        Assignment.name,
        SubmittedAssignment.timestamp,
        Assignment.duedate,
        SubmittedAssignment.extension,
        SubmittedNotebook.late_submission_penalty,
        SubmittedNotebook.notebook_id,
    )
    asked = asked.filter(
        SubmittedNotebook.assignment_id == SubmittedAssignment.id, SubmittedAssignment.assignment_id == Assignment.id
    )
    if assignment is not None:
        asked = asked.filter(Assignment.name == assignment)
    return [
        Work(one, sub, who, name, _utc(at), _utc(due), more, late, float(scores.get(one) or 0.0), possible.get(of, 0.0))
        for one, sub, who, name, at, due, more, late, of in asked.all()
    ]


def _possible(db: Any) -> dict[str, float]:
    """Return the points of each notebook of an assignment."""
    from nbgrader.api import GradeCell, TaskCell

    found: dict[str, float] = {}
    for kind in (GradeCell, TaskCell):
        for notebook, points in db.query(kind.notebook_id, kind.max_score).all():
            found[notebook] = found.get(notebook, 0.0) + float(points or 0.0)
    return found


def _utc(when: datetime | None) -> datetime | None:
    return when if when is None or when.tzinfo else when.replace(tzinfo=UTC)


def marks(db: Any, assignment: str | None = None) -> list[Mark]:
    """Return the marks of all grade cells of an assignment's hand-ins, or of all assignments'."""
    from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment, SubmittedNotebook

    asked = db.query(
        Grade.id,
        Grade.notebook_id,
        SubmittedAssignment.student_id,
        BaseCell.name,
        Grade.auto_score,
        Grade.manual_score,
        Grade.extra_credit,
        Grade.needs_manual_grade,
    )
    asked = asked.join(BaseCell, Grade.cell_id == BaseCell.id)
    asked = asked.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
    asked = asked.join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    asked = asked.join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
    if assignment is not None:
        asked = asked.filter(Assignment.name == assignment)
    said = comments(db)
    return [
        Mark(one, notebook, who, cell, auto, manual, extra, bool(is_open), said.get((notebook, cell), ("", ""))[1])
        for one, notebook, who, cell, auto, manual, extra, is_open in asked.all()
    ]


def comments(db: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """Return (id, text) of each comment that a person may write, by notebook and name of the cell.

    A written question has two rows in nbgrader's table of cells: one bears the points, the other, of the same name, the comment.
    """
    from nbgrader.api import BaseCell, Comment

    asked = db.query(Comment.id, Comment.notebook_id, BaseCell.name, Comment.manual_comment)
    asked = asked.join(BaseCell, Comment.cell_id == BaseCell.id)
    return {(notebook, name): (one, text or "") for one, notebook, name, text in asked.all()}
