"""The notebook that this kernel belongs to, as it was last saved."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.notebook import Cell
from autograder.runtime.locations import kernel_shell

#: Seconds to wait for Colab to send the notebook.
_PATIENCE = 20


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook: its cells, and its ``path``; Colab's is open in the browser only, and has none."""

    cells: list[Cell]
    path: Path | None

    @property
    def folder(self) -> Path:
        return self.path.parent if self.path else Path()


def saved_notebook(assignment: str, folder: Path | None = None) -> OpenNotebook | None:
    """Return the notebook of an assignment that this kernel runs, or None if none can be found.

    The editor names it: JupyterLab in the environment, VS Code among the notebook's names, Colab in an answer. Otherwise it is
    the notebook of the assignment in the ``folder`` (default: the current one) that was saved last.
    """
    if in_colab():
        return _of_colab()
    named = _named() if folder is None else None
    places = [named] if named else sorted(Path(folder or ".").glob("*.ipynb"), key=_saved_notebook, reverse=True)
    for path in places:
        try:
            notebook = notebooks.read(path)
        except (OSError, ValueError):
            continue
        if named or assignment_in(notebook) == assignment:
            return OpenNotebook(notebook["cells"], path)
    return saved_notebook(assignment, Path()) if named else None


def any_saved_notebook() -> OpenNotebook | None:
    """Return the notebook that the editor says this kernel runs, of whatever lesson; None if it says nothing, and in Colab."""
    path = None if in_colab() else _named()
    try:
        return OpenNotebook(notebooks.read(path)["cells"], path) if path else None
    except (OSError, ValueError):
        return None


def assignment_in(notebook: dict[str, Any]) -> str:
    """Return the assignment that a notebook's metadata names, or the empty string."""
    metadata = notebook.get("metadata", {})
    course = metadata.get("course", {}) if isinstance(metadata, dict) else {}
    name = course.get("assignment", "") if isinstance(course, dict) else ""
    return name if isinstance(name, str) else ""


def in_colab() -> bool:
    """Return whether this is Colab's kernel."""
    return "google.colab" in sys.modules


def _named() -> Path | None:
    """Return the path that the editor gives, if it is that of a file."""
    shell = kernel_shell()
    names = shell.user_ns if shell is not None else {}
    for name in (names.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")):
        if isinstance(name, str) and name.endswith(".ipynb"):
            for path in (Path(name), Path(Path(name).name)):  # Lab's is relative to its own folder
                if path.is_file():
                    return path
    return None


def _saved_notebook(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _of_colab() -> OpenNotebook | None:
    try:
        from google.colab import _message  # there is no public way to ask

        answer = _message.blocking_request("get_ipynb", request="", timeout_sec=_PATIENCE)
        cells = answer["ipynb"]["cells"]
    except Exception:  # another version of Colab, or a notebook that runs unattended: then there is nothing to read
        return None
    return OpenNotebook(cells, None) if isinstance(cells, list) else None
