"""The solution notebook of a lesson, read from its source ``solutions/<assignment>/<name>.py``."""

from pathlib import Path

import jupytext
import nbformat
from nbformat.notebooknode import NotebookNode

from autograder import catalogue
from autograder.build import BuildError
from autograder.course import Course
from autograder.notebooks import fingerprint

COLAB_CELL = """\
# Run this cell first. In Colab it installs the course; anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    %pip install --quiet "attention-course @ git+{repository}"
"""


def solution_notebook(course: Course, source: Path) -> NotebookNode:
    """Return the solution notebook: the source's cells, with what the source leaves out filled in."""
    assignment = source.parent.name
    read = jupytext.read(source)
    cells = [_colab_cell(course), *read.cells]
    for cell in cells:
        _complete(cell, assignment)
    _name_cells(cells)
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = NotebookNode(
        course={"assignment": assignment},
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    nbformat.validate(notebook)
    return notebook


def _colab_cell(course: Course) -> NotebookNode:
    text = COLAB_CELL.format(repository=course.repository).rstrip()
    return nbformat.v4.new_code_cell(text, metadata={"nbgrader": {"grade_id": "set-up", "locked": True}})


def _complete(cell: NotebookNode, assignment: str) -> None:
    """Fill in the defaults of nbgrader's metadata, mark experiments with their fingerprint, drop jupytext's own marks."""
    given = cell.metadata
    metadata = NotebookNode({key: given[key] for key in ("tags",) if key in given})
    if "experiment" in given.get("tags", []):
        metadata["course"] = {"experiment": fingerprint(cell.source)}
    if "nbgrader" in given:
        metadata["nbgrader"] = _nbgrader_marks(dict(given["nbgrader"]), cell, assignment)
    cell.metadata = metadata


def _nbgrader_marks(given: dict, cell: NotebookNode, assignment: str) -> dict:
    grade_id = given.get("grade_id", "")
    if not grade_id:
        raise BuildError(f"{assignment}: a cell has nbgrader metadata without a grade_id:\n{cell.source}")
    marks = {"schema_version": 3, "grade": False, "solution": False, "task": False} | given
    marks.setdefault("locked", marks["grade"] and not marks["solution"])
    if grade_id.startswith("check-") and marks["grade"]:
        marks.setdefault("points", catalogue.points_of(grade_id.removeprefix("check-")))
    if marks["grade"] and "points" not in marks:
        raise BuildError(f"{assignment}: the cell {grade_id!r} is graded, but its points are not given.")
    return dict(sorted(marks.items()))


def _name_cells(cells: list[NotebookNode]) -> None:
    """Give each cell an identifier that depends on its text alone, so that an edit changes one line of a diff and not all."""
    seen: dict[str, int] = {}
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or fingerprint(cell.source)[:8]
        seen[name] = seen.get(name, 0) + 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
