"""Inside: run a notebook's cells as Jupyter does, and record what they print and display, in order."""

import ast
import builtins
import getpass
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import SimpleNamespace
from typing import Any

from autograder.sandbox.inside import withheld
from autograder.sandbox.inside.outputs import MAX_TEXT, Outputs, Stream


def make_shell() -> Any:
    """Return a fresh IPython shell with inline figures, without a history file or a GUI event loop."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Hook(DisplayHook):
        """The value of a cell's last expression."""

        def write_output_prompt(self) -> None:
            """Print nothing: Jupyter shows the number beside the output, not in it."""

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            if isinstance(sys.stdout, Stream):
                sys.stdout.outputs.show(format_dict, "execute_result")

        def finish_displayhook(self) -> None:
            self._is_active = False

    class Publisher(DisplayPublisher):
        """The outputs of ``display``."""

        def publish(self, data: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            if isinstance(sys.stdout, Stream):
                sys.stdout.outputs.show(data, "display_data")

    class Shell(InteractiveShell):
        displayhook_class = Hook
        display_pub_class = Publisher

        kernel = SimpleNamespace(shell=None, session=None)  # some notebooks check whether a kernel exists

        def enable_gui(self, gui: Any = None) -> None:
            """Do nothing: there is no GUI event loop to join."""

        def enable_matplotlib(self, gui: Any = None) -> Any:
            """Show figures inline, even if the notebook asks for a window or a widget."""
            return super().enable_matplotlib("inline")

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    return Shell.instance(config=settings)


def no_input(prompt: object = "", *_: Any, **__: Any) -> str:
    raise RuntimeError(
        f"input({str(prompt)!r}) waits for a person, and nobody is there when the notebook is graded. "
        "Write the value into the cell instead."
    )


def prepare() -> Any:
    """Create the shell, with an ``input`` that raises and with inline figures."""
    builtins.input = no_input
    getpass.getpass = no_input
    shell = make_shell()
    shell.enable_matplotlib("inline")
    return shell


def without_programs(shell: Any) -> Any:
    """Answer ``!ls``, ``%pip install`` and ``%%bash`` with a sentence: the sandbox starts no program. Returns the shell."""
    from IPython.core.magics.script import ScriptMagics

    def told(command: str, *_: Any, **__: Any) -> list[str]:
        print(f"Not run, because no other program is started while a notebook is graded: {command.strip()[:200]}")
        return []

    def system(command: str) -> None:
        told(command)

    vars(shell).update(system=system, system_piped=system, system_raw=system, getoutput=told)
    # The method that all %%script magics end in. mypy forbids to replace a method, and that is what is meant here.
    ScriptMagics.shebang = lambda self, line, cell: system(line or cell)  # type: ignore[method-assign]
    return shell


@contextmanager
def _kept(outputs: Outputs) -> Any:
    with redirect_stdout(Stream(outputs, "stdout")), redirect_stderr(Stream(outputs, "stderr")):
        yield


def run_cell(shell: Any, text: str) -> dict[str, Any]:
    """Run one cell and return its outputs, in nbformat's form, and its error, if any, as name, message and traceback."""
    return _run(shell, text)[0]


def _run(shell: Any, text: str) -> tuple[dict[str, Any], int]:
    """Run one cell. Also returns the line at which it stopped, or 0."""
    tracebacks: list[list[str]] = []
    vars(shell)["_showtraceback"] = lambda kind, value, lines: tracebacks.append(lines)
    outputs = Outputs()
    with _kept(outputs):
        outcome = shell.run_cell(text, store_history=True)
    error = outcome.error_before_exec or outcome.error_in_exec
    told = _error(error, tracebacks[-1] if tracebacks else []) if error else None
    return {"outputs": outputs.items, "error": told}, _line(error)


def _line(error: BaseException | None) -> int:
    """Return the line of the cell at which an error stopped it, or 0 if unknown."""
    step = error.__traceback__ if error else None
    while step is not None and (
        step.tb_frame.f_code.co_name != "<module>" or "IPython" in step.tb_frame.f_code.co_filename
    ):
        step = step.tb_next
    return step.tb_lineno if step else 0


#: After these errors the rest of a cell still runs: a package or a program that is missing here, or a function that the lesson
#: forbids, must not remove the imports and definitions beside it.
GOES_ON = ("ModuleNotFoundError", "ImportError", "CheckFailure", "NotAvailableHere")


@contextmanager
def unseen(shell: Any) -> Iterator[None]:
    """Draw no figure and format no traceback meanwhile: most of the time of a cell that runs again, for its names alone."""
    told = dict.fromkeys(("showtraceback", "showsyntaxerror", "showindentationerror"), lambda *_, **__: None)
    vars(shell).update(told)
    vars(shell.display_formatter)["format"] = lambda *_, **__: ({}, {})
    try:
        yield
    finally:
        for name in told:
            vars(shell).pop(name, None)
        vars(shell.display_formatter).pop("format", None)


def run(shell: Any, text: str, whole: bool = False, fewer: bool = False) -> dict[str, Any]:
    """Run one cell as :func:`run_cell` does. After an error in ``GOES_ON``, run its other statements one by one.

    So it is after any error in a cell that is known to run as a ``whole`` where more libraries can be imported.
    """
    result, line = _run(shell, text)
    if result["error"] and (whole or result["error"]["ename"] in GOES_ON):
        result["outputs"] += run_statements(shell, text, line, fewer)
    return result


def run_statements(shell: Any, text: str, line: int, fewer: bool = False) -> list[dict[str, Any]]:
    """Run each top-level statement of a cell separately, starting at ``line``: a failing one does not stop the others.

    Where ``fewer`` libraries can be imported than elsewhere, one that lacks a library runs once more with what stands for it.
    """
    if text.lstrip().startswith("%%"):
        text = text.lstrip().partition("\n")[2]  # drop the magic that wraps the whole cell
    text = shell.transform_cell(text)
    lines = text.splitlines(keepends=True)
    outputs = []
    for statement in ast.parse(text).body:
        if (statement.end_lineno or 0) < line:
            continue  # already run
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        for part in _apart(statement) or ["".join(lines[first - 1 : statement.end_lineno])]:
            result = run_cell(shell, part)
            if fewer and result["error"] and result["error"]["ename"] == "ModuleNotFoundError":
                with withheld.standing_in():
                    result = run_cell(shell, part)
            outputs += result["outputs"]
    return outputs


def _apart(statement: ast.stmt) -> list[str]:
    """Split an import of several names into one import per name; return nothing for any other statement."""
    if not isinstance(statement, ast.Import | ast.ImportFrom) or len(statement.names) == 1:
        return []
    if isinstance(statement, ast.Import):
        return [ast.unparse(ast.Import([name])) for name in statement.names]
    return [ast.unparse(ast.ImportFrom(statement.module, [name], statement.level)) for name in statement.names]


def _error(error: BaseException, lines: list[str]) -> dict[str, Any]:
    name = type(error).__name__[:100]
    return {"ename": name, "evalue": _safely(lambda: str(error))[:2000], "traceback": "\n".join(lines)[-MAX_TEXT:]}


def _safely(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception as problem:
        return f"(no text: {type(problem).__name__})"
