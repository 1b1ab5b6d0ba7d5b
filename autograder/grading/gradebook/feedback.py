"""``autograder feedback``: the graded notebook of each submission, and its feedback page."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue

from nbformat.notebooknode import NotebookNode, from_dict

from autograder.grading.console import progress, readable
from autograder.grading.course import Course
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.run.batch import in_threads
from autograder.grading.run.pool import Channel
from autograder.grading.run.result import Result, scale_points
from autograder.grading.run.status import GRADED, load_status
from autograder.grading.submission.model import Submission
from autograder.grading.submission.released import Released

_SKIPPED = "This experiment was not run for grading."


def as_node(submission: Submission) -> NotebookNode:
    """Return a submission as a notebook of nbformat."""
    spec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return from_dict(
        {
            "cells": [dict(cell) for cell in submission.cells],
            "metadata": {"kernelspec": spec, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def apply(notebook: NotebookNode, result: Result, released: Released, key: str) -> None:
    """Write a result's outputs into the notebook. A grade cell without a result gets 0, because nbgrader requires a score."""
    notebook.metadata["course"] = {"result": key, "sealed": result.sealed}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs = [from_dict(item) for item in result.outputs.get(number, [])]
        marks = cell.metadata.get("nbgrader", {})
        name = marks.get("grade_id", "")
        if name in result.scores and released.cells[name].exercise:
            _scale(cell, result.scores[name], released.cells[name].points)
        elif number not in result.outputs and marks.get("grade") and not marks.get("solution"):
            cell.outputs = [_value(0.0)]
        elif number not in result.outputs and cell.metadata.get("course", {}).get("experiment"):
            text = {"text/plain": _SKIPPED}
            cell.outputs = [from_dict({"output_type": "display_data", "metadata": {}, "data": text})]


def _scale(cell: NotebookNode, score: tuple[float, float], points: float) -> None:
    """Write the points of a check cell, with a note if the gradebook gives its exercise a different maximum."""
    cell.outputs = [item for item in cell.outputs if item.output_type != "execute_result"]
    if score[1] != points:
        text = {
            "text/plain": f"This exercise is worth {points:g} points here: {scale_points(score, points):g} of {points:g}."
        }
        cell.outputs.append(from_dict({"output_type": "display_data", "metadata": {}, "data": text}))
    cell.outputs.append(_value(scale_points(score, points)))


def _value(points: float) -> NotebookNode:
    text = {"text/plain": repr(float(points))}
    return from_dict({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": text})


#: The code that each process runs. A string: nothing here may import the plug-ins.
_WRITER = "autograder.nbgrader_plugins.page_writer"


def write_pages(
    course: Course, assignment: str, students: Sequence[str], workers: int
) -> tuple[list[str], dict[str, str]]:
    """Write the pages of all graded students, or of the named ones. Returns the students with a page, and the others' errors.

    Raises LookupError if there is nothing to write, or if a named student has not been graded.
    """
    graded = [
        student for student, outcome in load_status(course.grading, assignment).items() if outcome.state == GRADED
    ]
    if not graded:
        course.require(assignment)
        raise LookupError(
            f"Nobody has been graded in {assignment!r} yet. Run this first: autograder grade {assignment}"
        )
    if unknown := [student for student in students if student not in graded]:
        raise LookupError(f"{unknown[0]!r} has not been graded in {assignment}.")
    for message in sync_gradebook(course):
        print(readable(message))
    chosen = list(students) or graded
    failed: dict[str, str] = {}
    with (
        _writers(course, assignment, min(workers, len(chosen))) as write,
        progress("writing pages", len(chosen)) as step,
    ):
        for student, error in in_threads(lambda student_id: (student_id, write(student_id)), chosen, workers):
            step()
            failed |= {student: error} if error else {}
    for student, error in sorted(failed.items()):
        print(f"{readable(student)}: {readable(error)}")
    folder = course.grading / "feedback"
    print(
        f"feedback: {assignment}, {len(chosen) - len(failed)} pages written, {len(failed)} failed; {folder}/STUDENT/{assignment}/"
    )
    return [student for student in chosen if student not in failed], failed


@contextmanager
def _writers(course: Course, assignment: str, number: int) -> Iterator[Callable[[str], str]]:
    """Yield a function that writes a student's page in an idle process, and returns the error or ""."""
    free: SimpleQueue[Channel] = SimpleQueue()
    with ExitStack() as stack:
        for _ in range(number):
            channel = Channel(_WRITER, str(course.root), assignment, folder=course.root)
            stack.callback(channel.close)
            free.put(channel)

        def write(student: str) -> str:
            channel = free.get()
            try:
                return channel.ask(student.encode()).decode()
            except (OSError, EOFError):
                return "the process that writes pages has ended; see the message above"
            finally:
                free.put(channel)

        yield write
