"""Queries on nbgrader's gradebook: assignments, students, points and comments.

Whole tables are read as plain rows: nbgrader's own objects compute every sum again for each student.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock

from autograder.grading.course import Course
from autograder.grading.run.result import Result, scale_points
from autograder.grading.submission.released import Released, from_gradebook

#: Seconds to wait for a gradebook that another program has locked.
PATIENCE = 60.0


def database(course: Course) -> str:
    return f"sqlite:///{course.grading / 'gradebook.db'}"


def released_assignment(course: Course, assignment: str, db_url: str = "") -> Released:
    """Return the released notebook of an assignment. Raises LookupError if the gradebook does not have it."""
    from nbgrader.api import Gradebook, MissingEntry

    db_url = db_url or database(course)
    if db_url == database(course) and not (course.grading / "gradebook.db").exists():
        raise _not_in_gradebook(course, assignment)
    try:
        with Gradebook(db_url) as gradebook:
            names = [notebook.name for notebook in gradebook.find_assignment(assignment).notebooks]
        if len(names) != 1:
            raise LookupError(f"Expected one notebook in {assignment!r}, but the gradebook knows {len(names)}.")
        notebook = course.release / assignment / f"{names[0]}.ipynb"
        return from_gradebook(db_url, assignment, notebook, course.lessons)
    except MissingEntry:
        raise _not_in_gradebook(course, assignment) from None


def _not_in_gradebook(course: Course, assignment: str) -> LookupError:
    try:
        course.require(assignment)
    except LookupError as error:  # misspelt
        return error
    return LookupError(
        f"The gradebook does not have the assignment {assignment!r} yet. Run this first, in {course.root}: "
        f"nbgrader generate_assignment {assignment}"
    )


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
    try:
        return str(autograded_notebook(course, released, student)["metadata"]["course"]["result"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def autograded_path(course: Course, released: Released, student: str) -> Path:
    return course.grading / "autograded" / student / released.assignment / f"{released.notebook}.ipynb"


def autograded_notebook(course: Course, released: Released, student: str) -> dict[str, Any]:
    """Read a student's autograded notebook. Raises OSError or ValueError if there is none that can be read."""
    return json.loads(autograded_path(course, released, student).read_text(encoding="utf8"))


def agrees(committed: Committed | None, result: Result, released: Released) -> bool:
    """Return whether the gradebook holds the points of this result."""
    if committed is None:
        return False
    expected = {name: scale_points(score, released.cells[name].points) for name, score in result.scores.items()}
    return all(committed.scores.get(name) == points for name, points in expected.items())


@dataclass(frozen=True)
class SubmissionRow:
    """One student's submission of one assignment. Times are in UTC; ``score`` and ``possible`` are points before any penalty."""

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
        """The time from the due date, extended if so agreed, to the submission; zero if either is unknown."""
        if self.handed_in is None or self.due is None:
            return timedelta(0)
        return max(timedelta(0), self.handed_in - self.due - (self.extension or timedelta(0)))


@dataclass(frozen=True)
class Mark:
    """The points of one grade cell of one student's work, and a person's comment on it."""

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
        """The points, or None if a person has yet to give them."""
        if self.open:
            return None
        points = self.manual if self.manual is not None else self.auto
        return None if points is None else points + (self.extra or 0.0)


@contextmanager
def gradebook_session(course: Course) -> Iterator[Any]:
    """Yield the gradebook's database session, while no other command of the course writes to it."""
    from nbgrader.api import Gradebook

    with FileLock(course.grading / "gradebook.lock", timeout=PATIENCE), Gradebook(database(course)) as gradebook:
        yield gradebook.db


def submission_rows(db: Any) -> list[SubmissionRow]:
    """Return the hand-ins of all assignments."""
    from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
    from sqlalchemy import func

    scores = dict(db.query(Grade.notebook_id, func.sum(Grade.score)).group_by(Grade.notebook_id).all())
    possible = _possible_points(db)
    query = db.query(
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
    query = query.filter(
        SubmittedNotebook.assignment_id == SubmittedAssignment.id, SubmittedAssignment.assignment_id == Assignment.id
    )
    return [
        SubmissionRow(
            notebook,
            submission,
            student,
            name,
            _utc(at),
            _utc(due),
            more,
            late,
            float(scores.get(notebook) or 0.0),
            possible.get(of, 0.0),
        )
        for notebook, submission, student, name, at, due, more, late, of in query.all()
    ]


def _possible_points(db: Any) -> dict[str, float]:
    """Return the points of each notebook of an assignment."""
    from nbgrader.api import GradeCell, TaskCell

    points_of: dict[str, float] = {}
    for table in (GradeCell, TaskCell):
        for notebook, points in db.query(table.notebook_id, table.max_score).all():
            points_of[notebook] = points_of.get(notebook, 0.0) + float(points or 0.0)
    return points_of


def _utc(when: datetime | None) -> datetime | None:
    return when if when is None or when.tzinfo else when.replace(tzinfo=UTC)


def marks(db: Any, assignment: str | None = None) -> list[Mark]:
    """Return the marks of all grade cells of an assignment's hand-ins, or of all assignments'."""
    from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment

    query = db.query(
        Grade.id,
        Grade.notebook_id,
        SubmittedAssignment.student_id,
        BaseCell.name,
        Grade.auto_score,
        Grade.manual_score,
        Grade.extra_credit,
        Grade.needs_manual_grade,
    )
    query = with_hand_ins(query)
    if assignment is not None:
        query = query.filter(Assignment.name == assignment)
    comment_of = comments(db)
    return [
        Mark(
            grade,
            notebook,
            student,
            cell,
            auto,
            manual,
            extra,
            bool(is_open),
            comment_of.get((notebook, cell), ("", ""))[1],
        )
        for grade, notebook, student, cell, auto, manual, extra, is_open in query.all()
    ]


def with_hand_ins(query: Any) -> Any:
    """Join a query of marks with their cells, notebooks, hand-ins and assignments."""
    from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment, SubmittedNotebook

    query = query.join(BaseCell, Grade.cell_id == BaseCell.id)
    query = query.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
    query = query.join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    return query.join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)


def comments(db: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """Return (id, text) of each place for a person's comment, by notebook and cell name.

    A written question has two rows of the same name in nbgrader's table of cells: one for the points, one for the comment.
    """
    from nbgrader.api import BaseCell, Comment

    query = db.query(Comment.id, Comment.notebook_id, BaseCell.name, Comment.manual_comment)
    query = query.join(BaseCell, Comment.cell_id == BaseCell.id)
    return {(notebook, name): (comment_id, text or "") for comment_id, notebook, name, text in query.all()}
