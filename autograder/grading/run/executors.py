"""Executors of a submission's cells: the protocol, and the one for trusted submissions in this process."""

import builtins
import contextlib
import getpass
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from autograder.checks.execute import NotebookStudent
from autograder.content.lesson import Lesson
from autograder.sandbox.inside import shell
from autograder.sandbox.outside.cell_result import CellResult, cell_result


class Executor(Protocol):
    """Runs cells one after another, and provides the checks with a student built from their definitions."""

    sealed: bool

    def look_ahead(self, texts: Iterable[str]) -> None: ...

    def run(self, text: str) -> CellResult: ...

    def student(self) -> Any: ...

    def start_again(self) -> None: ...

    def close(self) -> None: ...


def require_lesson(lesson: Lesson | None) -> Lesson:
    if lesson is None:
        raise LookupError("This assignment has no checks of the course.")
    return lesson


class TrustedExecutor:
    """Runs cells in this process, in an empty folder with the submitted files: only for trusted submissions."""

    sealed = False

    def __init__(self, lesson: Lesson | None, files: Mapping[str, bytes]):
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        self.files = dict(files)
        self.lesson = lesson
        self._cleanup = contextlib.ExitStack()
        folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory()))
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        self._cleanup.enter_context(contextlib.chdir(folder))
        self._cleanup.callback(setattr, sys, "path", list(sys.path))
        sys.path = [str(folder), *sys.path]  # as in Jupyter, where the notebook's folder comes first
        for module, name in ((builtins, "input"), (getpass, "getpass")):
            self._cleanup.callback(setattr, module, name, getattr(module, name))  # the shell replaces them
        self.shell = shell.prepare()
        self._cleanup.callback(type(self.shell).clear_instance)

    def look_ahead(self, texts: Iterable[str]) -> None:
        """Do nothing: here everything installed can be imported."""

    def run(self, text: str) -> CellResult:
        return cell_result(shell.run(self.shell, text))

    def student(self) -> NotebookStudent:
        return NotebookStudent(self.shell.user_ns, require_lesson(self.lesson), file=self.files.get)

    def start_again(self) -> None:
        """Do nothing: a trusted submission has one process only."""

    def close(self) -> None:
        """Leave the folder, and remove the shell from this process."""
        self._cleanup.close()
