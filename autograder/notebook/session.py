"""A lesson in a student's kernel: its saved notebook, its submission, the progress line of a check, and the history."""

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.checks.execute import ON_CHECK
from autograder.content import notebook as notebooks
from autograder.content.lesson import Lesson, Lessons, package_of
from autograder.content.notebook import Cell
from autograder.notebook.history import Entry, History
from autograder.notebook.progress import LessonProgress, Panel, SavedFile, lesson_progress, source_hash
from autograder.runtime import locations
from autograder.runtime.files import files_in
from autograder.runtime.locations import kernel_shell
from autograder.verdict import html as markup
from autograder.verdict.report import ExerciseReport
from course_lib import live

#: Seconds to wait for the notebook from Colab.
_PATIENCE = 20


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook: its cells, and its ``path`` (None in Colab, where it is open in the browser only)."""

    cells: list[Cell]
    path: Path | None

    @property
    def folder(self) -> Path:
        return self.path.parent if self.path else Path()


def saved_notebook(assignment: str, folder: Path | None = None) -> OpenNotebook | None:
    """Return the notebook of an assignment that runs in this kernel, or None if it cannot be found.

    The editor names it: JupyterLab in the environment, VS Code in a variable of the notebook, Colab on request. Otherwise it is
    the assignment's most recently saved notebook in the ``folder`` (default: the current one).
    """
    if live.in_colab():
        return _colab_notebook()
    named = _editor_path() if folder is None else None
    places = [named] if named else sorted(Path(folder or ".").glob("*.ipynb"), key=_modified_at, reverse=True)
    for path in places:
        try:
            notebook = notebooks.read(path)
        except (OSError, ValueError):
            continue
        if named or Lessons().current(notebooks.assignment_in(notebook)) == assignment:
            return OpenNotebook(notebook["cells"], path)
    return saved_notebook(assignment, Path()) if named else None


def hand_in_here(lesson: Lesson, unsaved: Sequence[str]) -> None:
    """Run ``autograder hand-in`` on the running notebook of a lesson, and print its output line by line.

    ``unsaved`` lists exercises whose saved cells differ from those that ran. In Colab, the notebook is written to a file first,
    and the browser downloads the result. Raises FileNotFoundError if the notebook has no file.
    """
    notebook = saved_notebook(lesson.assignment)
    if notebook is None:
        raise FileNotFoundError(
            f"The file of this notebook was not found in {Path().resolve()}. Save it there, or run in a terminal: "
            f"autograder hand-in NOTEBOOK"
        )
    if unsaved:
        print(f"Not saved yet: {', '.join(unsaved)}. What is handed in is the file as it was last saved (Ctrl+S).")
    path = notebook.path
    if path is None:
        path = Path(f"{lesson.name}.ipynb")
        metadata = {"course": {"assignment": lesson.assignment}}
        path.write_text(
            json.dumps({"cells": notebook.cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 0}),
            encoding="utf8",
        )
    command = [sys.executable, "-P", "-u", "-m", "autograder", "hand-in", str(path)]
    settings: dict[str, Any] = {"text": True, "encoding": "utf8", "env": {**os.environ, "PYTHONUTF8": "1"}}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings) as run:
        for line in run.stdout or ():
            print(line, end="")
    made = path.with_name(f"{lesson.assignment}.zip")
    if live.in_colab() and made.exists():
        with contextlib.suppress(Exception):  # without an open browser, the file stays in Colab's folder
            from google.colab import files

            files.download(str(made))


def any_saved_notebook() -> OpenNotebook | None:
    """Return the notebook that the editor names for this kernel, of any lesson; None if it names none, and in Colab."""
    path = None if live.in_colab() else _editor_path()
    try:
        return OpenNotebook(notebooks.read(path)["cells"], path) if path else None
    except (OSError, ValueError):
        return None


def assignments_here(lessons: Lessons, package: str = "") -> list[str]:
    """Return the possible assignments of this kernel's notebook: the one named in its file, or else those in its folder.

    ``package``: the lesson from which the notebook imports ``check``, if known; others are then left out.
    """
    named = _editor_path()
    found = dict[str, None]()
    for path in [named] if named else sorted(Path().glob("*.ipynb")):
        with contextlib.suppress(OSError, ValueError):
            found[lessons.current(notebooks.assignment_in(notebooks.read(path)))] = None
    return [name for name in found if name and lessons.has(name) and package in ("", package_of(name))]


def _editor_path() -> Path | None:
    """Return the path that the editor reports, if that file exists."""
    shell = kernel_shell()
    names = shell.user_ns if shell is not None else {}
    for name in (names.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")):
        if isinstance(name, str) and name.endswith(".ipynb"):
            for path in (Path(name), Path(Path(name).name)):  # JupyterLab's is relative to its own folder
                if path.is_file():
                    return path
    return None


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _colab_notebook() -> OpenNotebook | None:
    try:
        from google.colab import _message  # there is no public interface

        answer = _message.blocking_request("get_ipynb", request="", timeout_sec=_PATIENCE)
        cells = answer["ipynb"]["cells"]
    except Exception:  # another version of Colab, or a notebook that runs unattended
        return None
    return OpenNotebook(cells, None) if isinstance(cells, list) else None


#: Minimum number of seconds between two updates of the line.
_EVERY = 0.2


class Points(float):
    """The points of a check: a number that nbgrader reads and a notebook does not display, since the table shows it already."""

    def _repr_html_(self) -> str:
        return ""


@contextlib.contextmanager
def show_progress(exercise: str, total: int) -> Iterator[Callable[[Any], None]]:
    """Show a progress line for ``total`` checks; yield a function that replaces it with a result.

    Outside a notebook, only the result is printed.
    """
    put = _display_slot()
    line = _Line(exercise, total, put)
    line.show()
    token = ON_CHECK.set(line.next)
    try:
        yield lambda thing: put(str(thing), getattr(thing, "_repr_html_", lambda: None)())
    finally:
        ON_CHECK.reset(token)


class _Line:
    def __init__(self, exercise: str, total: int, put: Callable[[str, str | None], None]):
        self.exercise, self.total, self.put = exercise, total, put
        self.begun, self.updated = 0, 0.0

    def next(self) -> None:
        self.begun += 1
        # The step behind the last property may take seconds, without another one that would show it.
        if time.monotonic() - self.updated >= _EVERY or self.begun == self.total + 1:
            self.show()

    def show(self) -> None:
        self.updated = time.monotonic()
        text = f"Checking {self.exercise} …"
        if 0 < self.begun <= self.total:
            text = f"Checking {self.exercise}: property {self.begun} of {self.total} …"
        elif self.begun:  # also a second run, with right earlier exercises
            text = f"Checking {self.exercise}: looking for the cause …"
        self.put(text, markup.animated(text))


def _display_slot() -> Callable[[str, str | None], None]:
    """Return a function that displays a text and its HTML, replacing its previous output."""
    from IPython import get_ipython

    if get_ipython() is None:
        return _print
    from IPython.display import display

    handle = display({"text/plain": ""}, raw=True, display_id=True)

    def put(text: str, html: str | None) -> None:
        handle.update({"text/plain": text} | ({} if html is None else {"text/html": html}), raw=True)

    return put


def _print(text: str, html: str | None) -> None:
    if not text.startswith("Checking ") and text:
        print(text)


#: An id of this kernel, and the time at which it began to check.
KERNEL, BEGAN = uuid.uuid4().hex[:12], time.time()


class FileRecorder:
    """Reads files of the current folder, and records their names and hashes."""

    def __init__(self) -> None:
        self.read: Callable[[str], bytes | None] = files_in(".")
        self.seen: dict[str, str] = {}

    def __call__(self, name: str) -> bytes | None:
        data = self.read(name)
        if data is not None:
            self.seen[name] = source_hash(data)
        return data


def record_report(lesson: Lesson, report: ExerciseReport, names: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Add a report to the history of a notebook, and a sentence on the changes since the last check to the report."""
    if not live.in_live_notebook():
        return
    text = locations.cell_text(report.exercise, names)
    history = History(".", lesson.name)
    report.since = describe_changes(history.last(report.exercise), report, text)
    passed = {result.name: result.passed for result in report.results if result.points}
    history.add(
        Entry(report.exercise, time.time(), KERNEL, report.earned, report.points, text, passed, dict(files))
        if not report.unwritten
        else Entry(report.exercise, time.time(), KERNEL, 0.0, report.points, text)
    )


def progress_panel(lesson: Lesson, names: Mapping[str, Any]) -> Panel:
    """Return the panel of a lesson for the running notebook."""
    notebook = saved_notebook(lesson.assignment)
    folder = notebook.folder if notebook else Path()
    entries = History(folder, lesson.name).entries()
    running = {name: text for name in lesson.exercises if (text := locations.cell_text(name, names))}
    now = lesson_progress(lesson, SavedFile(notebook.cells if notebook else [], folder, entries, running))
    notes = [_saved_note(notebook, now), _open_twice_note(entries)]
    return Panel(now, [note for note in notes if note], hand_in_note(lesson))


def hand_in_note(lesson: Lesson) -> str:
    """Return the sentence that explains how to hand in."""
    name = lesson.assignment
    return f'To hand in, run hand_in("{name}") in a new cell, or autograder hand-in {name} in a terminal.'


def _saved_note(notebook: OpenNotebook | None, now: LessonProgress) -> str:
    if notebook is None:
        return "The file of this notebook was not found, so it is unknown whether it is saved and what is answered."
    if now.unsaved:
        return f"Not saved yet: {', '.join(now.unsaved)}. Save the notebook (Ctrl+S), and run this cell again."
    if notebook.path is None:
        return "Colab has this notebook open; what it shows is what would be handed in."
    saved = datetime.fromtimestamp(notebook.path.stat().st_mtime)
    return f"Saved at {saved:%H:%M}; answers in words count as they are in the file."


def _open_twice_note(entries: list[Entry]) -> str:
    """Return a warning if another kernel has checked this notebook since this one began; otherwise empty."""
    others = [entry for entry in entries if entry.kernel != KERNEL and entry.time > BEGAN]
    if not others or live.in_colab():
        return ""
    return (
        f"This notebook is open twice: another kernel checked {others[-1].exercise} at "
        f"{datetime.fromtimestamp(others[-1].time):%H:%M}. Close one of the two, or the one saved last overwrites the other."
    )


def describe_changes(before: Entry | None, report: ExerciseReport, text: str) -> str:
    """Return one or two sentences on the changes since the last check of an exercise; empty if there are none.

    ``text``: the cell that defines the exercise now.
    """
    if before is None or report.unwritten or "raise NotImplementedError(" in before.text:
        return ""
    sentences = {result.name: result.sentence for result in report.shown() if result.points}
    now = {result.name: result.passed for result in report.results if result.points}
    mended = [sentences[name] for name, passes in now.items() if passes and before.passed.get(name) is False]
    broken = [sentences[name] for name, passes in now.items() if not passes and before.passed.get(name) is True]
    changed = bool(text) and text != before.text
    if not mended and not broken:
        same = before.earned == report.earned and not report.full
        return "Your last change made no difference to these results." if changed and same else ""
    what = "Your last change" if changed else "Since the last check, something else than this cell"
    parts = [f"{verb} {_list(lines)}" for verb, lines in (("mended", mended), ("broke", broken)) if lines]
    return f"{what} {' and '.join(parts)}."


def _list(sentences: list[str]) -> str:
    shown = "; ".join(f"“{sentence}”" for sentence in sentences[:3])
    return shown + (f" and {len(sentences) - 3} more" if len(sentences) > 3 else "")
