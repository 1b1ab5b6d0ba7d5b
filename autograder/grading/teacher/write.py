"""``autograder report``: write the pages."""

from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.gradebook.differences import changes
from autograder.grading.gradebook.standing import ClassStanding
from autograder.grading.gradebook.standing_of import class_standing
from autograder.grading.lms.details import results
from autograder.grading.roster.policy import read_policy
from autograder.grading.run.outcome import history
from autograder.grading.run.store import Store
from autograder.grading.run.whole_file import write_whole
from autograder.grading.teacher.findings import Findings, findings
from autograder.grading.teacher.page import assignment_page, course_page


def write_report(course: Course, assignment: str | None, output: Path | None = None) -> Path:
    """Write the report on an assignment, or on the whole course with all its assignments; return the page.

    Raises LookupError if the gradebook does not know the assignment, or none at all.
    """
    folder = course.grading / "report"
    if assignment is not None:
        page = output or folder / f"{assignment}.html"
        _write(course, assignment, page)
        return page
    known, left_out = {}, []
    for name in course.assignments:
        try:
            known[name] = _write(course, name, folder / f"{name}.html")
        except LookupError:
            left_out.append(name)
    if not known:
        raise LookupError(
            "The gradebook knows no assignment yet. Run this first: nbgrader generate_assignment ASSIGNMENT"
        )
    page = output or folder / "course.html"
    standings = [standing for standing, _ in known.values()]
    write_whole(page, course_page(standings, {name: found for name, (_, found) in known.items()}, left_out))
    return page


def _write(course: Course, assignment: str, page: Path) -> tuple[ClassStanding, Findings]:
    standing = class_standing(course, assignment)
    found = findings(course, standing, results(course, standing))
    write_whole(page, assignment_page(standing, found, _changes(course, standing), read_policy(course).zone))
    return standing, found


def _changes(course: Course, standing: ClassStanding) -> list[tuple[str, ...]]:
    """Return what the last regrade changed for each student whose result is still the one that it made."""
    now = {one.student.id: one.outcome.key for one in standing.students if one.outcome is not None}
    last = {row["student"]: row for row in history(course.grading, standing.assignment)}
    store = Store(course.grading)
    rows: list[tuple[str, ...]] = []
    for student, row in sorted(last.items()):
        if now.get(student) == row["after"]:
            told = changes(store.get(row["before"]), store.get(row["after"]))
            rows += [(student, *change) for change in told]
    return rows
