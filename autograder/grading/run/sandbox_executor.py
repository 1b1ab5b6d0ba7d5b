"""The executor of a submission's cells in the sandbox. Separate from ``executors.py``, because Windows cannot import it."""

import ast
from collections.abc import Iterable, Mapping

from autograder.content import notebook
from autograder.content.lesson import Lesson
from autograder.grading.run.executors import require_lesson
from autograder.runtime.blocked.source import LONGEST_TEXT
from autograder.runtime.text import source_lines
from autograder.sandbox.outside.cell_result import CellResult
from autograder.sandbox.outside.imports import IMPORTS
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session


class SandboxExecutor:
    """Runs cells in the sandbox and gives the checks a student outside that process."""

    sealed = True

    def __init__(self, lesson: Lesson | None, sandbox: Sandbox, files: Mapping[str, bytes], author: str = ""):
        self.lesson = lesson
        forbid, package, may_use = (
            (lesson.forbidden, lesson.package, lesson.libraries_in("")) if lesson else ((), "", None)
        )
        self.session = Session(sandbox, forbid, files, package, may_use)
        self.session.author = author
        self.sources: dict[str, str] = {"": "", IMPORTS: ""}

    def run(self, text: str) -> CellResult:
        names = defined_names(text)
        self.sources |= names
        if "import" in text:
            for key, statements in (("", _importing(text)), (IMPORTS, _importing(text, anywhere=False))):
                if len(self.sources[key]) + len(statements) <= LONGEST_TEXT:
                    self.sources[key] += statements
        return self.session.run_cell(text)

    def look_ahead(self, texts: Iterable[str]) -> None:
        """Announce the cells to run, so that none has to run twice because a later one imports more."""
        self.session.look_ahead(texts)

    def student(self) -> RemoteStudent:
        return RemoteStudent(self.session, self.sources, require_lesson(self.lesson))

    def start_again(self) -> None:
        """End all processes of the submission: the next request goes to one that has run the cells and seen no question."""
        self.session.close()

    def close(self) -> None:
        self.session.close()


def _importing(text: str, anywhere: bool = True) -> str:
    """Return the import statements of a cell, one per line: all if ``anywhere``, otherwise only the top-level ones."""
    tree = notebook.syntax_tree(text)
    if tree is None:
        return ""
    nodes = ast.walk(tree) if anywhere else tree.body
    return "".join(f"{ast.unparse(node)}\n" for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def defined_names(text: str) -> dict[str, str]:
    """Return the source of every function, class and variable that a cell defines at its top level."""
    tree, lines = notebook.syntax_tree(text), source_lines(notebook.without_magics(text), keepends=True)
    sources: dict[str, str] = {}
    for node in tree.body if tree else ():
        source = "".join(lines[node.lineno - 1 : node.end_lineno])
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            sources[node.name] = source
        elif isinstance(node, ast.Assign):
            sources |= {target.id: source for target in node.targets if isinstance(target, ast.Name)}
    return sources
