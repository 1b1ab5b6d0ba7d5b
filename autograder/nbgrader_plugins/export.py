"""Grades as a CSV file that a spreadsheet reads as it is meant."""

import csv
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

#: The columns of nbgrader's own export, in its order.
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
)


class SafeCsv(ExportPlugin):
    """nbgrader's export with two differences.

    A comma or a quotation mark in a name is quoted, and text that a spreadsheet would take for a formula gets an apostrophe.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write one line for each student and assignment; who handed in nothing has no timestamp and 0 points."""
        with open(self.to or "grades.csv", "w", newline="", encoding="utf8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for assignment in gradebook.assignments:
                for student in gradebook.students:
                    if self._asked_for(assignment.name, student.id):
                        row = _row(gradebook, assignment, student)
                        writer.writerow({name: harmless(value) for name, value in row.items()})

    def _asked_for(self, assignment: str, student: str) -> bool:
        return assignment in (self.assignment or [assignment]) and student in (
            [str(s) for s in self.student] or [student]
        )


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
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
    }
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


def harmless(value: Any) -> Any:
    """Return text that begins like a formula with an apostrophe before it, nothing for None, and everything else as it is."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return "" if value is None else value
