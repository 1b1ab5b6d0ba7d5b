"""Where a submission's cells run while it is graded: in the sandbox, or, for one that is trusted, in this process."""

import ast
import contextlib
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from autograder.judging import notebooks
from autograder.judging.lesson import Lesson
from autograder.judging.local import LocalStudent
from autograder.sandbox.inside import shell
from autograder.sandbox.outside.box import Box
from autograder.sandbox.outside.cell_result import CellResult, cell_result
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.session import Session, defined_names


class Host(Protocol):
    """Runs cells one after another, and gives the checks a student made of what they define."""

    def run(self, text: str) -> CellResult: ...

    def student(self) -> Any: ...

    def close(self) -> None: ...


def _there(lesson: Lesson | None) -> Lesson:
    if lesson is None:
        raise LookupError("This assignment has no checks of the course's own, so nobody is to be asked anything.")
    return lesson


class Sealed:
    """Runs cells in the sandbox and hands the checks a student who is outside their process."""

    def __init__(self, lesson: Lesson | None, box: Box, files: Mapping[str, bytes]):
        self.lesson = lesson
        self.session = Session(box, lesson.forbidden if lesson else (), files, lesson.package if lesson else "")
        self.sources: dict[str, str] = {"": ""}

    def run(self, text: str) -> CellResult:
        names = defined_names(text)
        self.sources |= names
        if names or "import" in text:
            self.sources[""] += _importing(text)
        return self.session.run_cell(text)

    def student(self) -> RemoteStudent:
        return RemoteStudent(self.session, self.sources, _there(self.lesson))

    def close(self) -> None:
        self.session.close()


class Trusting:
    """Runs cells in this process, in an empty folder that holds the files: only for submissions that are trusted."""

    def __init__(self, lesson: Lesson | None, files: Mapping[str, bytes]):
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        self.files = dict(files)
        self.lesson = lesson
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
        return LocalStudent(self.shell.user_ns, _there(self.lesson), file=self.files.get)

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
