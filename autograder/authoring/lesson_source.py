"""Read the solution notebook of a lesson from its source, ``solutions/<assignment>/<name>.py``."""

from pathlib import Path

import jupytext
import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.every_notebook import first_cells, last_cells
from autograder.authoring.numbers import TAG
from autograder.authoring.slow_cells import SLOW
from autograder.authoring.source_rules import Source, SourceError, require_fit
from autograder.content.lesson import Lesson
from autograder.content.notebook import checked_exercise, fingerprint
from autograder.grading.course import Course


def solution_notebook(course: Course, source: Path, numbers: bool = False) -> NotebookNode:
    """Return the solution notebook: the source's cells, completed with the defaults that the source omits.

    With ``numbers``, it includes the cells that compare the numbers in the prose with the notebook's results.
    Raises SourceError if the source must not be built.
    """
    assignment = source.parent.name
    lesson = course.lessons.find(assignment)
    read = jupytext.read(source)
    require_fit(Source(source, read.cells, lesson))
    source_cells = [cell for cell in read.cells if numbers or TAG not in cell.metadata.get("tags", [])]
    # The title and what the lesson is about come first.
    title = sum(cell.cell_type == "markdown" for cell in source_cells[:1])
    cells = [
        *source_cells[:title],
        *first_cells(course, source),
        *source_cells[title:],
        *last_cells(course, source),
    ]
    for cell in cells:
        _complete(cell, lesson, numbers)
    _name_cells(cells)
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = NotebookNode(
        course={"assignment": assignment},
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    nbformat.validate(notebook)
    return notebook


def _complete(cell: NotebookNode, lesson: Lesson | None, numbers: bool) -> None:
    """Fill in the defaults of nbgrader's metadata, mark experiments with their fingerprint, remove jupytext's own marks."""
    original = cell.metadata
    metadata = NotebookNode({key: original[key] for key in ("tags", "jupyter") if key in original})
    if not numbers and SLOW in metadata.get("tags", []):
        metadata["tags"] = [tag for tag in metadata["tags"] if tag != SLOW]
    if original.get("jupyter", {}).get("source_hidden"):
        metadata["cellView"] = "form"  # Colab's way to fold a cell
    if "experiment" in original.get("tags", []):
        metadata["course"] = {"experiment": fingerprint(cell.source)}
    if "nbgrader" in original:
        metadata["nbgrader"] = _nbgrader_marks(dict(original["nbgrader"]), cell, lesson)
    cell.metadata = metadata


def _nbgrader_marks(original: dict, cell: NotebookNode, lesson: Lesson | None) -> dict:
    marks = {"schema_version": 3, "grade": False, "solution": False, "task": False} | original
    marks.setdefault("locked", marks["grade"] and not marks["solution"])
    exercise = checked_exercise(cell.source)
    if marks["grade"] and lesson and exercise:
        marks.setdefault("points", lesson.points(exercise))
    if marks["grade"] and "points" not in marks:
        raise SourceError(f"the cell {marks['grade_id']!r} is graded, but its points are not given.")
    return dict(sorted(marks.items()))


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an identifier that depends only on its text, so that an edit changes a single line of the diff."""
    count_of: dict[str, int] = {}
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or fingerprint(cell.source)[:8]
        count_of[name] = count_of.get(name, 0) + 1
        cell.id = name if count_of[name] == 1 else f"{name}-{count_of[name]}"
