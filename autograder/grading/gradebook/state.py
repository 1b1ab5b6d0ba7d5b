"""The state of the gradebook: an assignment's released notebook, and the points written so far."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
