"""Locate the course, the assignment and the release of a notebook."""

import contextlib
import importlib.util
from pathlib import Path

from autograder.content import notebook
from autograder.content.lesson import OWN, Lesson, Lessons, package_of
from autograder.grading.course import find_course
from autograder.grading.submission.released import Released, complete, from_notebook, released_in


def lessons_for(path: Path, run: bool = False) -> Lessons:
    """Return the lessons of a notebook: those of the course in the current folder, or else the built-in ones.

    The folder may be a hand-in that looks like a course. So its package is loaded only if it is installed or, with ``run``, for a
    command that runs the notebook itself. Raises LookupError if the notebook belongs only to a package that is not loaded.
    """
    try:
        course = find_course()
    except LookupError:
        return Lessons()
    package = course.lessons.package
    usable = run or package == OWN or _is_installed(package)
    course_lessons = course.lessons if run else Lessons(package)
    for lessons in (course_lessons, Lessons()) if usable else (Lessons(),):
        with contextlib.suppress(LookupError):
            assignment_of(path, lessons)
            return lessons
    if usable:
        return Lessons()  # the caller says what is wrong
    raise LookupError(
        f"{course.root} names {package!r} as the package of its lessons, which is not installed. If the course is one that you "
        f"trust, install it: pip install -e {course.root}"
    )


def _is_installed(package: str) -> bool:
    """Return whether a package with lessons is installed, without importing any of it."""
    top, *rest = package.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    places = spec.submodule_search_locations if spec is not None else None
    return any(next(Path(place, *rest).glob("*/checks/check_*.py"), None) for place in places or ())


def lesson_of(path: Path, run: bool = False) -> Lesson:
    """Return the lesson of a notebook, without running anything in its folder. Raises LookupError if it cannot be determined."""
    lessons = lessons_for(path, run)
    return lessons.of(assignment_of(path, lessons))


def assignment_of(path: Path, lessons: Lessons) -> str:
    """Return the assignment that a notebook belongs to, from its metadata or else from its folder."""
    for name in (notebook.assignment_in(notebook.read(path)), path.resolve().parent.name):
        if package_of(name) and lessons.has(name):
            return lessons.current(name)
    raise LookupError(
        f"It is not clear which assignment {path} belongs to. Expected a notebook of this course, in which "
        "metadata.course.assignment is set, or one in a folder named after its assignment, such as 01-attention."
    )


def released_for(path: Path, assignment: str, lessons: Lessons) -> Released:
    """Return the release of a notebook: the course's in the current folder, or else one derived from the notebook."""
    try:
        return released_in(find_course(), assignment, lessons)
    except (LookupError, OSError):
        return complete(from_notebook(assignment, path.stem, notebook.read(path), lessons))
