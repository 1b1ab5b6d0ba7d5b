"""Where a submission's cells run while it is graded: in the sandbox, or, for one that is trusted, in this process."""

import ast
import contextlib
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from autograder import catalogue, notebooks
from autograder.local import LocalStudent
from autograder.sandbox import shell
from autograder.sandbox.box import Box
from autograder.sandbox.remote import RemoteStudent
from autograder.sandbox.session import CellResult, Session, cell_result, defined_names


class Host(Protocol):
    """Runs cells one after another, and gives the checks a student made of what they define."""

    def run(self, text: str) -> CellResult: ...

    def student(self) -> Any: ...

    def close(self) -> None: ...


def _forbidden(assignment: str) -> tuple[str, ...]:
    return catalogue.forbidden(assignment) if catalogue.has_checks(assignment) else ()


class Sealed:
    """Runs cells in the sandbox and hands the checks a student who is outside their process."""

    def __init__(self, assignment: str, box: Box, files: Mapping[str, bytes]):
        self.forbid = _forbidden(assignment)
        self.session = Session(box, self.forbid, files)
        self.sources: dict[str, str] = {"": ""}

    def run(self, text: str) -> CellResult:
        names = defined_names(text)
        self.sources |= names
        if names or "import" in text:
            self.sources[""] += _importing(text)
        return self.session.run_cell(text)

    def student(self) -> RemoteStudent:
        return RemoteStudent(self.session, self.sources, self.forbid)

    def close(self) -> None:
        self.session.close()


class Trusting:
    """Runs cells in this process, in an empty folder that holds the files: only for submissions that are trusted."""

    def __init__(self, assignment: str, files: Mapping[str, bytes]):
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        self.files = dict(files)
        self.forbid = _forbidden(assignment)
        self._left = contextlib.ExitStack()
        folder = Path(self._left.enter_context(tempfile.TemporaryDirectory()))
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        self._left.enter_context(contextlib.chdir(folder))
        self._left.callback(setattr, sys, "path", list(sys.path))
        sys.path = [str(folder), *sys.path]  # as in Jupyter, where the notebook's folder comes first
        self.shell = shell.prepare()

    def run(self, text: str) -> CellResult:
        return cell_result(shell.run(self.shell, text))

    def student(self) -> LocalStudent:
        return LocalStudent(self.shell.user_ns, self.forbid, file=self.files.get)

    def close(self) -> None:
        """Leave the folder. The shell goes with the process."""
        self._left.close()


def _importing(text: str) -> str:
    """Return the import statements of a cell, one on a line."""
    try:
        nodes = ast.walk(ast.parse(notebooks.without_magics(text)))
        return "".join(f"{ast.unparse(node)}\n" for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
