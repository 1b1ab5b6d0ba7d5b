"""A lesson in this kernel: what its checks have said, now and before, and where the student stands."""

import time
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.content.lesson import Lesson
from autograder.notebook.history import Entry, History
from autograder.notebook.open_notebook import OpenNotebook, in_colab, saved_notebook
from autograder.notebook.panel import Panel
from autograder.notebook.since import since
from autograder.notebook.standing import Standing, Work, fingerprint, standing
from autograder.runtime import locations
from autograder.runtime.files import files_in
from autograder.verdict.report import ExerciseReport

#: A word for this kernel, and when it began to check.
KERNEL, BEGAN = uuid.uuid4().hex[:12], time.time()


class Reads:
    """Reads files of the current folder, and remembers which, and their fingerprints."""

    def __init__(self) -> None:
        self.read: Callable[[str], bytes | None] = files_in(".")
        self.seen: dict[str, str] = {}

    def __call__(self, name: str) -> bytes | None:
        data = self.read(name)
        if data is not None:
            self.seen[name] = fingerprint(data)
        return data


def remember(lesson: Lesson, report: ExerciseReport, names: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Keep a report in the history of a notebook, and say in the report what has changed since the last one."""
    if not locations.somebody_looks():
        return
    text = locations.cell_text(report.exercise, names)
    history = History(".", lesson.name)
    report.since = since(history.last(report.exercise), report, text)
    passed = {result.name: result.passed for result in report.results if result.points}
    history.add(
        Entry(report.exercise, time.time(), KERNEL, report.earned, report.points, text, passed, dict(files))
        if not report.unwritten
        else Entry(report.exercise, time.time(), KERNEL, 0.0, report.points, text)
    )


def where_you_stand(lesson: Lesson, names: Mapping[str, Any]) -> Panel:
    """Return the panel of a lesson for the notebook that runs here."""
    notebook = saved_notebook(lesson.assignment)
    folder = notebook.folder if notebook else Path()
    entries = History(folder, lesson.name).entries()
    running = {name: text for name in lesson.exercises if (text := locations.cell_text(name, names))}
    now = standing(lesson, Work(notebook.cells if notebook else [], folder, entries, running))
    notes = [_saved(notebook, now), _twice(entries)]
    return Panel(now, [note for note in notes if note], how_to_hand_in(lesson))


def how_to_hand_in(lesson: Lesson) -> str:
    """Return the sentence that says how to hand in."""
    name = lesson.assignment
    return f'To hand in, run hand_in("{name}") in a new cell, or autograder hand-in {name} in a terminal.'


def _saved(notebook: OpenNotebook | None, now: Standing) -> str:
    if notebook is None:
        return "This notebook's file was not found, so it cannot be told whether it is saved and what is answered."
    if now.unsaved:
        return f"Not saved yet: {', '.join(now.unsaved)}. Save the notebook (Ctrl+S), and run this cell again."
    if notebook.path is None:
        return "Colab has this notebook open; what it shows is what would be handed in."
    saved = datetime.fromtimestamp(notebook.path.stat().st_mtime)
    return f"Saved at {saved:%H:%M}; answers in words count as they are in the file."


def _twice(entries: list[Entry]) -> str:
    """Return a sentence if another kernel has checked this notebook since this one began."""
    others = [entry for entry in entries if entry.kernel != KERNEL and entry.time > BEGAN]
    if not others or in_colab():
        return ""
    return (
        f"This notebook is open twice: another kernel checked {others[-1].exercise} at "
        f"{datetime.fromtimestamp(others[-1].time):%H:%M}. Close one of the two, or the one saved last overwrites the other."
    )
