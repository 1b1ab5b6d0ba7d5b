"""Read a notebook, and run its cells as Jupyter would, in this process."""

import hashlib
import json
import os
import symtable
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


@dataclass
class Run:
    """What a notebook left behind: its names, and the errors of its cells as (which cell, error)."""

    namespace: dict[str, Any]
    errors: list[tuple[str, str]] = field(default_factory=list)


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as a dictionary. Raises ValueError for a file that is not one."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = notebook["cells"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} is not a Jupyter notebook: expected JSON with a list of cells, but got {type(error).__name__}: {error}. "
            "Save the notebook again, or download it as .ipynb."
        ) from None
    if not isinstance(cells, list):
        raise ValueError(f"{path} is not a Jupyter notebook: its cells are not a list.")
    return notebook


def source(cell: Cell) -> str:
    """Return a cell's text; on disk it may be a list of lines."""
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(text)


def without_magics(text: str) -> str:
    """Return a cell's text with its lines of magic and shell commands left empty, so that the rest can be parsed."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in text.splitlines())


def grade_id(cell: Cell) -> str:
    """Return the nbgrader identifier of a cell, or the empty string."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def is_check(cell: Cell) -> bool:
    """Whether the cell only checks an exercise."""
    marks = cell.get("metadata", {}).get("nbgrader", {})
    return bool(marks.get("grade")) and not marks.get("solution")


def fingerprint(text: str) -> str:
    """Return a short hash of a cell's text, by which an experiment is known to be as it was released."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_untouched_experiment(cell: Cell) -> bool:
    """Whether the cell is an experiment that the student has left as it was.

    Such a cell is not run when grading: the build has shown that no exercise needs it, and it only costs time. One that
    the student has changed is run like any other cell, because later cells may use what it defines.
    """
    metadata = cell.get("metadata", {})
    given = metadata.get("course", {}).get("experiment") if isinstance(metadata.get("course", {}), dict) else None
    return given is not None and given == fingerprint(source(cell))


def needed_cells(cells: Sequence[Cell]) -> list[bool]:
    """Tell for each cell whether it has to be run before the exercises can be checked.

    Left out are prose, the checks themselves, and untouched experiments, unless a cell that is run uses a name from one.
    """
    code = [cell.get("cell_type") == "code" for cell in cells]
    needed = [
        c and not is_check(cell) and not is_untouched_experiment(cell) for c, cell in zip(code, cells, strict=True)
    ]
    wanted: set[str] = set()
    for number in range(len(cells) - 1, -1, -1):
        if not code[number] or is_check(cells[number]):
            continue
        bound, used = _names(source(cells[number]))
        needed[number] = needed[number] or bool(bound & wanted)
        if needed[number]:
            wanted = (wanted - bound) | used
    return needed


def _names(text: str) -> tuple[set[str], set[str]]:
    """Return the global names that a cell binds and those that it uses; nothing for text that is not Python, magics aside."""
    try:
        table = symtable.symtable(without_magics(text), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(), set()
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    inner = list(table.get_children())
    while inner:
        scope = inner.pop()
        inner += scope.get_children()
        used |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return bound, used - bound


def run(path: Path, replace: Mapping[str, str] | None = None) -> Run:
    """Run the needed code cells of a notebook from top to bottom, going on after an error, and return what they define.

    ``replace`` maps the grade_id of a cell to the text that takes its place. Raises ValueError for a file that is not a notebook.
    """
    os.environ.setdefault("MPLBACKEND", "Agg")
    from IPython.utils.capture import capture_output

    shell = _shell()
    result = Run(shell.user_ns)
    cells = read(path)["cells"]
    for cell in cells:
        cell["source"] = (replace or {}).get(grade_id(cell), source(cell))
    for number, needed in enumerate(needed_cells(cells)):
        if not needed:
            continue
        text = source(cells[number])
        with capture_output():
            outcome = shell.run_cell(text, store_history=False)
        error = outcome.error_before_exec or outcome.error_in_exec
        if error is not None:
            which = grade_id(cells[number]) or f"cell number {number + 1}"
            result.errors.append((which, f"{type(error).__name__}: {error}"))
    return result


def _shell() -> Any:
    """Return a fresh IPython shell without a history file or a window system, so that magics and display work."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=settings)
    vars(shell)["enable_gui"] = lambda gui=None: None  # there is no event loop of a window system to join
    return shell
