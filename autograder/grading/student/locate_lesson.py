"""Locate the course, the assignment and the release of a notebook."""

from pathlib import Path

from autograder.content import notebook
from autograder.content.lesson import Lesson, Lessons, package_of
from autograder.grading.course import find_course
from autograder.grading.submission.released import Released, complete, from_notebook, released_in


def lessons_for(path: Path) -> Lessons:
    """Return the lessons of the course that contains a notebook, or else the built-in ones."""
    try:
        return find_course(path.resolve().parent).lessons
    except LookupError:
        return Lessons()


def lesson_of(path: Path) -> Lesson:
    """Return the lesson of a notebook. Raises LookupError if it is not clear which."""
    lessons = lessons_for(path)
    return lessons.of(assignment_of(path, lessons))


def assignment_of(path: Path, lessons: Lessons) -> str:
    """Return the assignment that a notebook belongs to, from its metadata or else from its folder."""
    course = notebook.read(path).get("metadata", {}).get("course", {})
    for name in (course.get("assignment", "") if isinstance(course, dict) else "", path.resolve().parent.name):
        if isinstance(name, str) and package_of(name) and lessons.has(name):
            return name
    raise LookupError(
        f"It is not clear which assignment {path} belongs to. Expected a notebook of this course, in which "
        "metadata.course.assignment is set, or one in a folder named after its assignment, such as 01-attention."
    )


def released_for(path: Path, assignment: str, lessons: Lessons) -> Released:
    """Return the release of a notebook: from the course that contains it, or else derived from the notebook itself."""
    try:
        return released_in(find_course(path.resolve().parent), assignment)
    except (LookupError, OSError):
        return complete(from_notebook(assignment, path.stem, notebook.read(path), lessons))
