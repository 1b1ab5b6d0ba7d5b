"""What the gradebook knows of a notebook's cells, and a submission's cells with only that as their metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook

from autograder.notebooks import fingerprint

#: The longest notebook, in characters of all cells together. A written lesson has about fifty thousand.
LONGEST = 2_000_000
_PICTURES = ("image/png", "image/jpeg", "image/gif")


@dataclass(frozen=True)
class SourceCell:
    """A cell of the released notebook that nbgrader manages."""

    name: str
    cell_type: str
    locked: bool
    text: str
    checksum: str
    grade: bool
    solution: bool
    task: bool
    points: float

    def metadata(self) -> NotebookNode:
        marks: dict[str, Any] = {
            "schema_version": 3, "grade_id": self.name, "grade": self.grade, "solution": self.solution, "task": self.task,
            "locked": self.locked, "cell_type": self.cell_type, "checksum": self.checksum,
        }  # fmt: skip
        if self.grade or self.task:
            marks["points"] = self.points
        return NotebookNode(nbgrader=NotebookNode(marks))


@dataclass(frozen=True)
class Source:
    """The managed cells of one notebook, in their order."""

    cells: Mapping[str, SourceCell]


def read_source(db_url: str, assignment: str, notebook: str) -> Source:
    """Read a notebook's managed cells from the gradebook. Raises nbgrader's MissingEntry where it does not know the notebook."""
    with Gradebook(db_url) as gradebook:
        entry = gradebook.find_notebook(notebook, assignment)
        points = {cell.name: cell.max_score for cell in (*entry.grade_cells, *entry.task_cells)}
        grades, solutions, tasks = (
            {cell.name for cell in cells} for cells in (entry.grade_cells, entry.solution_cells, entry.task_cells)
        )
        return Source(
            {
                cell.name: SourceCell(
                    cell.name, cell.cell_type, bool(cell.locked), cell.source, cell.checksum, cell.name in grades,
                    cell.name in solutions, cell.name in tasks, float(points.get(cell.name, 0.0)),
                )
                for cell in entry.source_cells
            }
        )  # fmt: skip


def rebuild(notebook: Mapping[str, Any], source: Source) -> NotebookNode:
    """Return a submitted notebook with nothing in it that the student could have used to steer the grading.

    What is kept of a cell is its type and its text, and which of the released cells it is. Everything else about a released cell
    comes from ``source``: a locked cell has its released text, a missing one is put back after the one that it followed, and of
    two that claim to be the same one the first counts; the other is an ordinary cell, and still runs. Raises ValueError for
    something that is not a notebook.
    """
    given = notebook.get("cells")
    if not isinstance(given, list) or not all(isinstance(cell, Mapping) for cell in given):
        raise ValueError("This is not a Jupyter notebook: expected a list of cells.")
    if sum(len(_text(cell)) for cell in given) > LONGEST:
        raise ValueError(
            f"The cells hold more than {LONGEST:,} characters of text. A notebook of this course holds far fewer."
        )
    cells: list[NotebookNode] = []
    place: dict[str, int] = {}
    for cell in given:
        known = source.cells.get(_grade_id(cell))
        if known is not None and known.name not in place:
            place[known.name] = len(cells)
            cells.append(_cell(known.cell_type, known.text if known.locked else _text(cell), known.metadata(), cell))
        else:
            cells.append(_cell(_type(cell), _text(cell), _experiment(cell), cell))
    _put_back(cells, place, source)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    spec = NotebookNode(name="python3", display_name="Python 3 (ipykernel)", language="python")
    metadata = NotebookNode(kernelspec=spec, language_info=NotebookNode(name="python"))
    return NotebookNode(cells=cells, metadata=metadata, nbformat=4, nbformat_minor=5)


def _put_back(cells: list[NotebookNode], place: dict[str, int], source: Source) -> None:
    """Insert the released cells that the submission lacks."""
    after = -1
    for known in source.cells.values():
        if known.name in place:
            after = next(
                n for n, cell in enumerate(cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == known.name
            )
            continue
        after += 1
        text = known.text if known.locked else ""
        cells.insert(after, _cell(known.cell_type, text, known.metadata(), {}))
        place[known.name] = after


def _cell(cell_type: str, text: str, metadata: NotebookNode, given: Mapping[str, Any]) -> NotebookNode:
    cell = NotebookNode(cell_type=cell_type, metadata=metadata, source=text)
    if cell_type == "code":
        cell.update(outputs=[], execution_count=None)
    elif isinstance(pasted := given.get("attachments"), Mapping):
        cell["attachments"] = NotebookNode(_pictures(pasted))
    return cell


def _pictures(attachments: Mapping[str, Any]) -> dict[str, Any]:
    """Keep pictures that were pasted into a written answer, and nothing else."""
    kept = {}
    for name, versions in list(attachments.items())[:20]:
        if isinstance(versions, Mapping):
            data = {kind: versions[kind] for kind in _PICTURES if isinstance(versions.get(kind), str)}
            kept[str(name)] = {kind: text for kind, text in data.items() if len(text) < 4_000_000}
    return kept


def _text(cell: Mapping[str, Any]) -> str:
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(str(line) for line in text) if isinstance(text, list) else ""


def _type(cell: Mapping[str, Any]) -> str:
    return cell["cell_type"] if cell.get("cell_type") in ("code", "markdown") else "raw"


def _grade_id(cell: Mapping[str, Any]) -> str:
    marks = _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
    name = marks.get("grade_id")
    return name if isinstance(name, str) else ""


def _experiment(cell: Mapping[str, Any]) -> NotebookNode:
    """Keep the mark of an experiment whose text is still what it was when it got its mark."""
    mark = _mapping(_mapping(cell.get("metadata")).get("course")).get("experiment")
    if isinstance(mark, str) and mark == fingerprint(_text(cell)):
        return NotebookNode(course=NotebookNode(experiment=mark))
    return NotebookNode()


def _mapping(thing: Any) -> Mapping[str, Any]:
    return thing if isinstance(thing, Mapping) else {}
