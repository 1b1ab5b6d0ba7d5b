"""Check one notebook from the command line, as its student does: the same grading, in this process."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder import catalogue, notebooks
from autograder.course import Course, find_course
from autograder.grading.released import Released, ReleasedCell, from_notebook
from autograder.grading.result import Result
from autograder.grading.submission import from_notebook as submission_from
from autograder.progress import progress


def check_notebook(path: Path, only: list[str] | None = None, seed: int | None = None) -> Result:
    """Run a notebook's cells in this process, and check its exercises (or only those named).

    Raises LookupError for an exercise that the lesson has not, ValueError for a file that is no notebook.
    """
    assignment = catalogue.assignment_of(path)
    known = catalogue.exercises(assignment)
    unknown = [name for name in only or [] if name not in known]
    if unknown:
        raise LookupError(f"{assignment} has no exercise {unknown[0]!r}. Expected one of: {', '.join(known)}.")
    submission = submission_from(path, released_for(path, assignment))
    from autograder.draw import fresh_seed
    from autograder.grading.grade import (
        grade,
    )  # loads PyTorch, which takes seconds: after all that can be wrong with the call

    with progress("checking", len(only or known)) as step:
        return grade(submission, fresh_seed() if seed is None else seed, None, only, told=lambda name: step())


def released_for(path: Path, assignment: str) -> Released:
    """Return what was handed out for a notebook: from the course that it lies in, or else what the notebook itself says."""
    try:
        return released_in(find_course(path.resolve().parent), assignment)
    except (LookupError, OSError):
        return complete(from_notebook(assignment, path.stem, notebooks.read(path)))


def released_in(course: Course, assignment: str) -> Released:
    """Return what a course hands out for an assignment. Raises LookupError where it has not been built."""
    found = sorted((course.release / assignment).glob("*.ipynb"))
    if len(found) != 1:
        raise LookupError(f"There is no released notebook in {course.release / assignment}. Build it: autograder build")
    return complete(from_notebook(assignment, found[0].stem, notebooks.read(found[0])))


def complete(released: Released) -> Released:
    """Add the check cells that a notebook has lost, so that every exercise is checked."""
    cells = dict(released.cells)
    for name in catalogue.exercises(released.assignment):
        if name not in released.exercises:
            points = catalogue.points_of(name)
            cells[f"check-{name}"] = ReleasedCell(
                f"check-{name}", "code", True, f'check("{name}")', "", True, False, False, points
            )
    return replace(released, cells=cells)


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
