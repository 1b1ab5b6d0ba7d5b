"""From a lesson's source to the notebook that nbgrader reads and the one that a student opens.

``solutions/<assignment>/<name>.py`` is turned into ``<name>.ipynb`` beside it, and that by nbgrader's own ``generate_assignment``
into ``assignments/<assignment>/<name>.ipynb``. Both are the same bytes on every rebuild.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbformat.notebooknode import NotebookNode

from autograder import catalogue
from autograder.course import Course
from autograder.leaks import leaked_lines
from autograder.notebooks import fingerprint

COLAB_CELL = """\
# Run this cell first. In Colab it installs the course; anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    %pip install --quiet "attention-course @ git+{repository}"
"""


class BuildError(Exception):
    """The lesson is not fit to be handed out; the message says why."""


@dataclass(frozen=True)
class Built:
    """The two notebooks of one lesson, as text, with the places where they belong."""

    assignment: str
    solution_path: Path
    solution: str
    release_path: Path
    release: str


def build(course: Course, source: Path) -> Built:
    """Build one lesson from its source without writing anything. Raises BuildError when it must not be handed out."""
    assignment = source.parent.name
    solution = nbformat.writes(solution_notebook(course, source)) + "\n"
    release = _release(course, assignment, source.stem, solution)
    lines = leaked_lines(solution, release)
    if lines:
        raise BuildError(f"{assignment}: the release holds lines of the solution:\n" + "\n".join(lines))
    return Built(
        assignment,
        source.with_suffix(".ipynb"),
        solution,
        course.release / assignment / f"{source.stem}.ipynb",
        release,
    )


def differences(built: Built) -> Iterator[str]:
    """Yield a line for each built file that is missing or holds something else."""
    for path, text in ((built.solution_path, built.solution), (built.release_path, built.release)):
        if not path.exists():
            yield f"{path} is missing."
        elif path.read_text(encoding="utf8") != text:
            yield f"{path} is not what its source builds."
    if built.release_path.parent.exists():
        yield from (
            f"{p} does not belong there." for p in built.release_path.parent.iterdir() if p != built.release_path
        )


def write(built: Built) -> None:
    """Write both notebooks, and clear the release folder of anything else."""
    shutil.rmtree(built.release_path.parent, ignore_errors=True)
    built.release_path.parent.mkdir(parents=True)
    built.solution_path.write_text(built.solution, encoding="utf8")
    built.release_path.write_text(built.release, encoding="utf8")


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


def _release(course: Course, assignment: str, name: str, solution: str) -> str:
    """Run nbgrader's generate_assignment in an empty course and return the released notebook."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    from autograder.nbgrader_plugins.config import configure

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "solutions" / assignment).mkdir(parents=True)
        (root / "solutions" / assignment / f"{name}.ipynb").write_text(solution, encoding="utf8")
        settings = Config()
        configure(settings, root)
        outcome = NbGraderAPI(config=settings).generate_assignment(assignment, force=True, create=True)
        if not outcome["success"]:
            raise BuildError(
                f"{assignment}: nbgrader could not make the release:\n{outcome.get('error', '')}\n{outcome['log']}"
            )
        return (root / "assignments" / assignment / f"{name}.ipynb").read_text(encoding="utf8")
