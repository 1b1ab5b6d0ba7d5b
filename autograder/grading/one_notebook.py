"""Check one notebook from the command line, as its student does: the same grading, in this process."""

import json
from pathlib import Path
from typing import Any

from autograder.grading.course import find_course
from autograder.grading.handed_out import complete, released_in
from autograder.grading.progress import progress
from autograder.grading.released import Released, from_notebook
from autograder.grading.result import Result
from autograder.grading.submission import from_notebook as submission_from
from autograder.judging import notebooks
from autograder.judging.lesson import Lessons, package_of
from autograder.judging.seeds import fresh_seed


def check_notebook(path: Path, only: list[str] | None = None, seed: int | None = None) -> Result:
    """Run a notebook's cells in this process, and check its exercises (or only those named).

    Raises LookupError if the lesson has no such exercise, ValueError if the file is not a notebook.
    """
    lessons = _lessons_for(path)
    assignment = assignment_of(path, lessons)
    known = lessons.of(assignment).exercises
    unknown = [name for name in only or [] if name not in known]
    if unknown:
        raise LookupError(f"{assignment} has no exercise {unknown[0]!r}. Expected one of: {', '.join(known)}.")
    submission = submission_from(path, released_for(path, assignment, lessons))
    from autograder.grading.grade import (
        grade,  # loads PyTorch, which takes seconds: import it after validating the call
    )
    from autograder.grading.hosts import Trusting

    host = Trusting(lessons.of(assignment), submission.files)
    with progress("checking", len(only or known)) as step:
        return grade(submission, lessons, fresh_seed() if seed is None else seed, host, only, told=lambda name: step())


def _lessons_for(path: Path) -> Lessons:
    """Return the lessons of the course that contains a notebook, or else the built-in ones."""
    try:
        return find_course(path.resolve().parent).lessons
    except LookupError:
        return Lessons()


def assignment_of(path: Path, lessons: Lessons) -> str:
    """Return the assignment that a notebook belongs to, from its metadata or else from its folder."""
    course = notebooks.read(path).get("metadata", {}).get("course", {})
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
        return complete(from_notebook(assignment, path.stem, notebooks.read(path), lessons))


def as_json(result: Result) -> dict[str, Any]:
    """The result as plain data."""
    return {
        "earned": result.earned,
        "points": result.points,
        "errors": [{"cell": cell, "error": error} for cell, error in result.errors],
        "notes": result.notes,
        "exercises": [{key: value for key, value in one.items() if key != "text"} for one in result.exercises],
    }


def as_text(path: Path, result: Result) -> str:
    """The result as a page of text: errors of cells first, then each exercise, then the total."""
    lines = [f"{path}: {cell} stopped with {error}" for cell, error in result.errors]
    lines += [f"{path}: {note}" for note in result.notes]
    lines += [f"\n{exercise['text']}" for exercise in result.exercises]
    total = f"{result.earned:g} of {result.points:g} points"
    return "\n".join([*lines, "", f"{'total':<{78 - len(total)}}{total}"])


def write_json(result: Result) -> str:
    return json.dumps(as_json(result), indent=2, ensure_ascii=False)
