"""Match a submission's cells with the released ones, and restore missing or changed cells.

Students delete, move, duplicate, split and merge cells, and paste them into new notebooks. A released cell is identified by
nbgrader's mark, or else by its content. A submission's metadata is used only to identify cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.notebook import MOST_CELLS, Cell, checked_exercise, defined, fingerprint
from autograder.grading.submission.released import Released, ReleasedCell

#: The longest notebook, in characters over all cells, and over the cells of code. A completed lesson has about fifty thousand. To
#: parse a character of hostile code takes a thousand bytes; a picture that was pasted into text has half a million characters.
LONGEST, LONGEST_CODE = 2_000_000, 400_000
_PICTURES = ("image/png", "image/jpeg", "image/gif")


@dataclass
class MatchResult:
    """A submission's cells with trusted metadata. ``recognised`` cells were identified without nbgrader's mark."""

    cells: list[Cell]
    marked: list[str] = field(default_factory=list)
    recognised: list[str] = field(default_factory=list)
    untouched: bool = False


def match(notebook: Mapping[str, Any], released: Released) -> MatchResult:
    """Return a submitted notebook's cells without anything by which the student could influence the grading.

    A cell keeps its type, its text, and the identity of its released cell. Everything else about a released cell comes from
    ``released``: a locked cell gets its released text, and a missing one is restored. If two cells claim the same identity, the
    first counts; the other becomes an ordinary cell, and still runs. Raises ValueError if this is not a notebook.
    """
    submitted = _cells_of(notebook, released)
    marked = _by_mark(submitted, released)
    recognised = _by_content(submitted, released, marked)
    names = marked | recognised
    cells = [_cell(cell, released.cells.get(names.get(number, "")), released) for number, cell in enumerate(submitted)]
    _restore_missing(cells, released)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return MatchResult(cells, list(marked.values()), list(recognised.values()), _is_untouched(cells, released))


def _cells_of(notebook: Mapping[str, Any], released: Released) -> list[Mapping[str, Any]]:
    submitted = notebook.get("cells")
    if not isinstance(submitted, list) or not all(isinstance(cell, Mapping) for cell in submitted):
        raise ValueError("This is not a Jupyter notebook: expected a list of cells.")
    text = sum(len(_text(cell)) for cell in submitted)
    code = sum(len(_text(cell)) for cell in submitted if _may_run(cell, released))
    if len(submitted) > MOST_CELLS or text > LONGEST or code > LONGEST_CODE:
        raise ValueError(
            f"There are {len(submitted):,} cells with {text:,} characters, {code:,} of them code. A notebook of this course has "
            f"far fewer than {MOST_CELLS:,} cells, {LONGEST:,} characters and {LONGEST_CODE:,} of code."
        )
    return submitted


def _may_run(cell: Mapping[str, Any], released: Released) -> bool:
    """Return whether a cell is code, or becomes code because it carries the mark of a released one."""
    released_cell = released.cells.get(_grade_id(cell))
    return cell.get("cell_type") not in ("markdown", "raw") or (
        released_cell is not None and released_cell.cell_type == "code"
    )


def _by_mark(submitted: Sequence[Mapping[str, Any]], released: Released) -> dict[int, str]:
    """Return the names of the cells that carry nbgrader's mark of a released cell, by cell number."""
    name_of: dict[int, str] = {}
    for number, cell in enumerate(submitted):
        name = _grade_id(cell)
        if name in released.cells and name not in name_of.values():
            name_of[number] = name
    return name_of


def _by_content(
    submitted: Sequence[Mapping[str, Any]], released: Released, marked: Mapping[int, str]
) -> dict[int, str]:
    """Return the names of further cells, identified by content."""
    name_of: dict[int, str] = {}
    texts = [_text(cell).strip() for cell in submitted]
    for released_cell in released.cells.values():
        if released_cell.name not in marked.values():
            candidates = _candidates(released_cell, submitted, texts, released)
            number = next((n for n in candidates if n not in marked and n not in name_of), None)
            if number is not None:
                name_of[number] = released_cell.name
    return name_of


def _candidates(
    released_cell: ReleasedCell, submitted: Sequence[Mapping[str, Any]], texts: Sequence[str], released: Released
) -> Iterator[int]:
    """Yield the indices of the submitted cells that could be this released cell, the most likely ones first."""
    same_type = [n for n, cell in enumerate(submitted) if cell.get("cell_type") == released_cell.cell_type]
    if released_cell.locked:
        yield from (n for n in same_type if texts[n] == released_cell.text.strip())
        if released_cell.exercise:
            yield from (n for n in same_type if checked_exercise(texts[n]) == released_cell.exercise)
    elif released_cell.defines:
        names = {released_cell.name} & released_cell.defines or released_cell.defines
        yield from reversed([n for n in same_type if names & defined(texts[n])])
    elif (question := released.before.get(released_cell.name, "").strip()) and not any(map(_grade_id, submitted)):
        yield from (n for n in same_type if n and texts[n - 1] == question)


def _restore_missing(cells: list[Cell], released: Released) -> None:
    """Insert the released cells that the submission lacks: after their predecessor, and a check after its solution."""
    after = -1
    for released_cell in released.cells.values():
        place = next((n for n, cell in enumerate(cells) if notebooks.grade_id(cell) == released_cell.name), None)
        if place is None:
            written = [
                n
                for n, cell in enumerate(cells)
                if released_cell.exercise and released_cell.exercise in defined(cell["source"])
            ]
            place = max([after, *written]) + 1
            blank = {"cell_type": released_cell.cell_type, "source": released_cell.text if released_cell.locked else ""}
            cells.insert(place, _cell(blank, released_cell, released))
        after = place


def _cell(submitted: Mapping[str, Any], released_cell: ReleasedCell | None, released: Released) -> Cell:
    kind = released_cell.cell_type if released_cell else _cell_type(submitted)
    text = released_cell.text if released_cell and released_cell.locked else _text(submitted)
    cell: Cell = {
        "cell_type": kind,
        "source": text,
        "metadata": released_cell.metadata() if released_cell else _experiment(submitted, released),
    }
    if kind == "code":
        cell |= {"outputs": [], "execution_count": None}
    elif isinstance(pasted := submitted.get("attachments"), Mapping):
        cell["attachments"] = _pictures(pasted)
    return cell


def _is_untouched(cells: Sequence[Cell], released: Released) -> bool:
    """Return whether all solution cells are empty or unchanged, and no other cell defines an exercise."""
    stubs = {cell.name: cell.text.strip() for cell in released.cells.values() if cell.solution}
    exercises = set(released.exercises)
    return not any(
        cell["source"].strip() not in ("", stubs[name]) if name in stubs else defined(cell["source"]) & exercises
        for cell in cells
        for name in [notebooks.grade_id(cell)]
    )


def _pictures(attachments: Mapping[str, Any]) -> dict[str, Any]:
    """Keep pictures pasted into a written answer, and drop everything else."""
    pictures = {}
    for name, versions in list(attachments.items())[:20]:
        if isinstance(versions, Mapping):
            data = {kind: versions[kind] for kind in _PICTURES if isinstance(versions.get(kind), str)}
            pictures[_join_surrogates(str(name))] = {
                kind: _join_surrogates(text) for kind, text in data.items() if len(text) < 4_000_000
            }
    return pictures


def _text(cell: Mapping[str, Any]) -> str:
    text = cell.get("source", "")
    text = text if isinstance(text, str) else "".join(str(line) for line in text) if isinstance(text, list) else ""
    return _join_surrogates(text).replace("\r\n", "\n")


def _join_surrogates(text: str) -> str:
    """Join surrogate pairs that JSON may store as two halves, and replace lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cell_type(cell: Mapping[str, Any]) -> str:
    return cell["cell_type"] if cell.get("cell_type") in ("code", "markdown") else "raw"


def _grade_id(cell: Mapping[str, Any]) -> str:
    name = _mapping(_mapping(cell.get("metadata")).get("nbgrader")).get("grade_id")
    return name if isinstance(name, str) else ""


def _experiment(cell: Mapping[str, Any], released: Released) -> dict[str, Any]:
    """Return the mark of an experiment, even if the student has changed the cell or lost the mark."""
    text = _text(cell)
    mark = _mapping(_mapping(cell.get("metadata")).get("course")).get("experiment")
    fingerprints = released.experiments or {fingerprint(text)}
    for name in (mark, fingerprint(text)):
        if isinstance(name, str) and name in fingerprints and (released.experiments or mark == name):
            return {"course": {"experiment": name}}
    return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
