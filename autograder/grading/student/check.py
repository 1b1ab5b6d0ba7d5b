"""Check one notebook from the command line: the same grading, in this process, by the student."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.content.lesson import Lessons
from autograder.grading.console import progress, readable, readable_lines
from autograder.grading.run.result import Result
from autograder.grading.student.locate_lesson import assignment_of, lessons_for, released_for
from autograder.grading.submission.model import Submission
from autograder.grading.submission.model import from_notebook as submission_from
from autograder.runtime.seeds import fresh_seed
from course_lib import variants


def check_notebook(path: Path, only: Sequence[str] = (), seed: int | None = None, student: str | None = None) -> Result:
    """Run a notebook's cells in this process, and check its exercises, or only those in ``only``.

    Exercises with variants use the numbers of the id ``student``, or else of the id set in the notebook's folder. Raises
    LookupError if the lesson has no such exercise, ValueError if the file is not a notebook.
    """
    if not path.is_file():
        problem = "This is a folder" if path.is_dir() else "No such file"
        raise LookupError(f"{problem}: {path}. Expected the path of a notebook, such as NAME.ipynb.")
    lessons = lessons_for(path, run=True)
    assignment = assignment_of(path, lessons)
    exercises = lessons.of(assignment).exercises
    unknown = [name for name in only if name not in exercises]
    if unknown:
        raise LookupError(f"{assignment} has no exercise {unknown[0]!r}. Expected one of: {', '.join(exercises)}.")
    author = variants.student(path.parent) if student is None else student
    submission = submission_from(path, released_for(path, assignment, lessons), author=author)
    return grade_here(submission, lessons, only, seed)


def grade_here(submission: Submission, lessons: Lessons, only: Sequence[str] = (), seed: int | None = None) -> Result:
    """Grade a submission of this process's own user, without a sandbox; ``only`` and ``seed`` as for :func:`check_notebook`."""
    # They load PyTorch, which takes seconds: import them after validating the call.
    from autograder.grading.run.executors import TrustedExecutor
    from autograder.grading.run.grade import grade

    lesson = lessons.of(submission.assignment)
    with progress("checking", len(only or lesson.exercises)) as step:
        on_exercise = lambda name: step()  # noqa: E731
        seed = fresh_seed() if seed is None else seed
        return grade(
            submission, lessons, seed, TrustedExecutor(lesson, submission.files), only or None, on_exercise=on_exercise
        )


def as_json(result: Result) -> dict[str, Any]:
    """Return the result as plain data."""
    return {
        "earned": result.earned,
        "points": result.points,
        "errors": [{"cell": cell, "error": error} for cell, error in result.errors],
        "notes": result.notes,
        "exercises": [
            {key: value for key, value in exercise.items() if key != "text"} for exercise in result.exercises
        ],
    }


def as_text(path: Path, result: Result) -> str:
    """Return the result as a page of text: errors of cells first, then each exercise, then the total."""
    lines = [f"{path}: {cell} stopped with {readable(error)}" for cell, error in result.errors]
    lines += [f"{path}: {readable(note)}" for note in (*result.notes, result.whose_numbers) if note]
    lines += [line for exercise in result.exercises for line in ("", *readable_lines(exercise["text"]))]
    total = f"{result.earned:g} of {result.points:g} points"
    return "\n".join([*lines, "", f"{'total':<{78 - len(total)}}{total}"])


def write_json(result: Result) -> str:
    return json.dumps(as_json(result), indent=2, ensure_ascii=False)
