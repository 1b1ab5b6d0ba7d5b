"""Inside: run a notebook's cells as Jupyter does, and record their outputs, in order and within bounds."""

import ast
import base64
import builtins
import contextlib
import getpass
import io
import os
import pdb
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from autograder.runtime.blocked import source
from autograder.runtime.text import source_lines


class Withheld(ModuleType):
    """A stand-in for a library or anything in it. It can be imported and mentioned; using it raises an error that it is missing.

    During the import of a module, a call returns another stand-in: ``sns.set_theme()`` at its top must not cost its definitions.
    """

    def __getattr__(self, name: str) -> "Withheld":
        if name.startswith("__"):  # what Python itself asks of every object
            raise AttributeError(name)
        return Withheld(f"{self.__name__}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        importing = any(isinstance(finder, _Finder) for finder in sys.meta_path)
        return Withheld(f"{self.__name__}()") if importing else self.refuse()

    def refuse(self, *_: Any) -> NoReturn:
        library = self.__name__.partition(".")[0]
        if library in source.KNOWN:
            raise ModuleNotFoundError(f"{library} is not installed where this is graded.")
        raise source.failure(self.__name__.partition("(")[0])

    __getitem__ = __call__
    __mro_entries__ = __iter__ = refuse


class _Finder(MetaPathFinder, Loader):
    """Finds every module that no other finder finds."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec:
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Withheld(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no content."""


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """Replace libraries that cannot be imported by stand-ins in the block. Afterwards, importing them fails again."""
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, Withheld)]:
            del sys.modules[name]


MAX_TEXT = 20_000


MAX_PICTURE = 1_500_000


MAX_OUTPUTS = 40


class Outputs:
    """The outputs of one cell, in nbformat's form. Output beyond a limit is dropped, with a note."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.text = self.pictures = 0

    def stream(self, name: str, text: str) -> None:
        room = MAX_TEXT - self.text
        if room <= 0:
            return
        self.text += len(text)
        text = text if len(text) <= room else text[:room] + "\n… The rest of the output was dropped.\n"
        if self.items and self.items[-1].get("name") == name:
            self.items[-1]["text"] += text
        else:
            self.add({"output_type": "stream", "name": name, "text": text})

    def show(self, data: dict[str, Any], kind: str) -> None:
        """Keep the text and the picture of a displayed value; a student's own HTML and scripts are dropped."""
        by_mime_type: dict[str, Any] = {}
        if isinstance(text := data.get("text/plain"), str):
            by_mime_type["text/plain"] = text[:MAX_TEXT]
        picture = data.get("image/png")
        picture = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
        if isinstance(picture, str) and self.pictures + len(picture) <= MAX_PICTURE:
            self.pictures += len(picture)
            by_mime_type["image/png"] = picture
        self.add({"output_type": kind, "data": by_mime_type})

    def add(self, item: dict[str, Any]) -> None:
        if len(self.items) < MAX_OUTPUTS:
            self.items.append(item)


class Stream(io.TextIOBase):
    def __init__(self, outputs: Outputs, name: str):
        self.outputs, self.stream_name = outputs, name

    encoding = "utf-8"

    @property
    def buffer(self) -> "Bytes":
        return Bytes(self)

    def fileno(self) -> int:
        """Return the real file descriptor: output that a child process writes to it is not kept."""
        return 1 if self.stream_name == "stdout" else 2

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.outputs.stream(self.stream_name, text)
        return len(text)


class Bytes(io.RawIOBase):
    """``sys.stdout.buffer``: bytes are shown as UTF-8 text."""

    def __init__(self, stream: Stream):
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)


def make_shell() -> Any:
    """Return a fresh IPython shell with inline figures, without a history file or a GUI event loop."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Hook(DisplayHook):
        """The display hook: shows the value of a cell's last expression as an output."""

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

        def ask_exit(self) -> None:
            """Do nothing: ``exit()`` in a cell asks for it, and the checks still need the process."""

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


def no_debugger(*_: Any, **__: Any) -> None:
    """Continue where a notebook starts the debugger: the line was left in by mistake, and the code after it may be right."""
    print("The debugger was not started, because nobody is there when the notebook is graded.")


def prepare() -> Any:
    """Create the shell, with an ``input`` that raises, without a debugger, and with inline figures."""
    from IPython.core import debugger

    builtins.input = no_input
    getpass.getpass = no_input
    sys.breakpointhook = pdb.set_trace = debugger.set_trace = no_debugger
    shell = make_shell()
    shell.enable_matplotlib("inline")
    return shell


def move(shell: Any, folder: str) -> None:
    """Move a shell to this folder, and create its files again: those from before the fork are visible to the parent only."""
    shell.starting_dir = folder
    os.makedirs(shell.ipython_dir, exist_ok=True)
    shell.init_profile_dir(None)


def without_programs(shell: Any) -> Any:
    """Answer ``!ls``, ``%pip install`` and ``%%bash`` with a sentence: the sandbox starts no programs. Returns the shell."""
    from IPython.core.magics.script import ScriptMagics

    def output_lines(command: str, *_: Any, **__: Any) -> list[str]:
        print(f"Not run, because no other program is started while a notebook is graded: {command.strip()[:200]}")
        return []

    def system(command: str) -> None:
        output_lines(command)

    vars(shell).update(system=system, system_piped=system, system_raw=system, getoutput=output_lines)
    # The method that all %%script magics end in. mypy forbids replacing a method, which is intended here.
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
    """Run one cell, and return also the number of the line at which it stopped, or 0."""
    tracebacks: list[list[str]] = []
    vars(shell)["_showtraceback"] = lambda kind, value, lines: tracebacks.append(lines)
    outputs = Outputs()
    with _kept(outputs):
        outcome = shell.run_cell(text, store_history=True)
    error = outcome.error_before_exec or outcome.error_in_exec
    failure = _error(error, tracebacks[-1] if tracebacks else []) if error else None
    return {"outputs": outputs.items, "error": failure}, _line(error)


def _line(error: BaseException | None) -> int:
    """Return the line of the cell at which an error stopped it; 0 if unknown."""
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
    """Draw no figures and format no tracebacks in the block: they take most of the time of a cell that only redefines names."""
    printers = dict.fromkeys(("showtraceback", "showsyntaxerror", "showindentationerror"), lambda *_, **__: None)
    vars(shell).update(printers)
    vars(shell.display_formatter)["format"] = lambda *_, **__: ({}, {})
    try:
        yield
    finally:
        for name in printers:
            vars(shell).pop(name, None)
        vars(shell.display_formatter).pop("format", None)


def run(shell: Any, text: str, runs_elsewhere: bool = False, fewer: bool = False) -> dict[str, Any]:
    """Run one cell like :func:`run_cell`. After an error in ``GOES_ON``, run its other statements one by one.

    With ``runs_elsewhere``, do so after any error: the whole cell is known to run where more libraries can be imported.
    """
    result, line = _run(shell, text)
    if result["error"] and (runs_elsewhere or result["error"]["ename"] in GOES_ON):
        result["outputs"] += run_statements(shell, text, line, fewer)
    return result


def run_statements(shell: Any, text: str, line: int, fewer: bool = False) -> list[dict[str, Any]]:
    """Run each top-level statement of a cell separately, starting at ``line``; a failing one does not stop the others.

    An import that fails for lack of a library, perhaps in a module beside the notebook, is repeated with a stand-in for the
    library; with ``fewer`` libraries than elsewhere, so is any other statement.
    """
    if text.lstrip().startswith("%%"):
        text = text.lstrip().partition("\n")[2]  # drop the magic that wraps the whole cell
    text = shell.transform_cell(text)
    lines = source_lines(text, keepends=True)
    outputs = []
    for statement in ast.parse(text).body:
        if (statement.end_lineno or 0) < line:
            continue  # already run
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        for part in _apart(statement) or ["".join(lines[first - 1 : statement.end_lineno])]:
            result = run_cell(shell, part)
            lacking = result["error"] and result["error"]["ename"] == "ModuleNotFoundError"
            if lacking and (fewer or isinstance(statement, ast.Import | ast.ImportFrom)):
                with standing_in():
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
