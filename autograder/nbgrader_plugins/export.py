"""Export grades as a CSV file that spreadsheets parse correctly."""

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograder.grading.course import Course
from autograder.grading.gradebook.status import EXCUSED, load_class_status
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.lms.grades import harmless
from autograder.grading.run.status import FAILED, HUMAN, load_status

#: The columns of nbgrader's own export, in order, and where the student stands.
COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "state",
)


class SafeCsv(ExportPlugin):
    """nbgrader's export with three differences.

    A comma or a quotation mark in a name is quoted. Text that a spreadsheet would parse as a formula is prefixed by an
    apostrophe. The state is the same as in ``autograder export``; if it is "excused", or if the submission could not be graded,
    the score is empty instead of 0.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write one line per student and assignment; a student without a submission has 0 points."""
        course = Course(Path(gradebook.engine.url.database or "").parent.parent)
        try:
            sync_gradebook(course)
        except ValueError as error:  # a fault in course.toml or the roster
            raise SystemExit(str(error)) from None
        states = {a.name: self._states(course, gradebook, a.name) for a in gradebook.assignments}
        gradebook.db.expire_all()
        with open(self.to or "grades.csv", "w", newline="", encoding="utf8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for assignment in gradebook.assignments:
                for student in gradebook.students:
                    if self._is_selected(assignment.name, student.id):
                        row = _row(gradebook, assignment, student, states[assignment.name].get(student.id, ""))
                        writer.writerow({name: harmless(value) for name, value in row.items()})

    def _states(self, course: Course, gradebook: Gradebook, assignment: str) -> dict[str, str]:
        """Return each student's state. Students with a submission are added to the gradebook, even if not graded yet."""
        handed_in = {student: outcome.state for student, outcome in load_status(course.grading, assignment).items()}
        for student in handed_in:
            gradebook.update_or_create_student(student)
        try:
            status = load_class_status(course, assignment)
        except LookupError:  # an assignment that is none of the course's own
            return handed_in
        return handed_in | {grade.student.id: grade.state for grade in status.students}

    def _is_selected(self, assignment: str, student: str) -> bool:
        return assignment in (self.assignment or [assignment]) and student in (
            [str(s) for s in self.student] or [student]
        )


def _row(gradebook: Gradebook, assignment: Any, student: Any, state: str) -> dict[str, Any]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": None,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "raw_score": 0.0,
        "late_submission_penalty": 0.0,
        "score": 0.0,
        "max_score": assignment.max_score,
        "state": state,
    }
    if state in (HUMAN, FAILED, EXCUSED):
        return row | {"raw_score": None, "late_submission_penalty": None, "score": None}
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return row
    penalty = submission.late_submission_penalty or 0.0
    return row | {
        "timestamp": submission.timestamp,
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
    }
