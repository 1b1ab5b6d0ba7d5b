"""The released notebooks of a course, read from its release folder."""

from dataclasses import replace

from autograder.content import notebook
from autograder.grading.course import Course
from autograder.grading.submission.released import Released, ReleasedCell, from_notebook


def released_in(course: Course, assignment: str) -> Released:
    """Return the released notebook of an assignment. Raises LookupError if it has not been built."""
    found = sorted((course.release / assignment).glob("*.ipynb"))
    if len(found) != 1:
        raise LookupError(f"There is no released notebook in {course.release / assignment}. Build it: autograder build")
    return complete(from_notebook(assignment, found[0].stem, notebook.read(found[0]), course.lessons))


def complete(released: Released) -> Released:
    """Add missing check cells to a notebook, so that every exercise is checked."""
    cells = dict(released.cells)
    lesson = released.lessons.of(released.assignment)
    for name in lesson.exercises:
        if name not in released.exercises:
            points = lesson.points(name)
            cells[f"check-{name}"] = ReleasedCell(
                f"check-{name}", "code", True, f'check("{name}")', "", True, False, False, points
            )
    return replace(released, cells=cells)
