"""The gradebook's tables as plain rows: nbgrader's own objects compute every sum again for each student."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from filelock import FileLock

from autograder.grading.course import Course
from autograder.grading.gradebook.state import PATIENCE, database


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
