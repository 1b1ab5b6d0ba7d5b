"""A panel of a student's progress in a lesson: written, checked, answered, trained, saved. No student code is run."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from autograder.content.lesson import Lesson
from autograder.content.notebook import Cell, checked_exercise, defined, grade_id, is_check, source
from autograder.notebook.history import Entry
from autograder.runtime.files import files_in
from autograder.verdict import html

#: nbgrader's placeholders for a written answer.
_NO_ANSWER = ("", "YOUR ANSWER HERE")
_STUB = "raise NotImplementedError("
_QUESTION = re.compile(r"^#+ +(Written question \d+)", re.MULTILINE)


@dataclass(frozen=True)
class ExerciseProgress:
    """A row of the panel for an exercise, a question or a file: its state in a few words and, unless ``done``, the next step."""

    name: str
    state: str
    done: bool
    to_do: str = ""
    earned: float = 0.0
    points: float = 0.0
    optional: bool = False

    @property
    def label(self) -> str:
        """The name, with a mark if the row is optional."""
        return f"{self.name} (optional)" if self.optional else self.name


@dataclass(frozen=True)
class LessonProgress:
    """All rows of a lesson. ``unsaved`` lists exercises with different cells in the saved file and in the kernel."""

    assignment: str
    exercises: Sequence[ExerciseProgress]
    questions: Sequence[ExerciseProgress]
    files: Sequence[ExerciseProgress]
    unsaved: Sequence[str] = ()

    @property
    def earned(self) -> float:
        """The points of the core's exercises."""
        return sum(row.earned for row in self.exercises if not row.optional)

    @property
    def points(self) -> float:
        """The points possible in the core."""
        return sum(row.points for row in self.exercises if not row.optional)

    @property
    def rows(self) -> list[ExerciseProgress]:
        return [*self.exercises, *self.questions, *self.files]

    @property
    def complete(self) -> bool:
        return all(row.done or row.optional for row in self.rows) and not self.unsaved


@dataclass(frozen=True)
class SavedFile:
    """A saved notebook: its ``cells``, the ``folder`` of its files, and the history of its checks.

    ``running`` maps each exercise to the text of the cell that defined it in this kernel; empty outside a notebook.
    """

    cells: Sequence[Cell]
    folder: Path
    entries: Sequence[Entry] = ()
    running: Mapping[str, str] = field(default_factory=dict)


def lesson_progress(lesson: Lesson, work: SavedFile) -> LessonProgress:
    """Return a student's progress in a lesson."""
    saved = {name: _saved_text(work.cells, name) for name in lesson.exercises}
    unsaved = [name for name, text in work.running.items() if not _same_text(text, saved.get(name, ""))]
    exercises = [_exercise(name, work.running.get(name) or saved[name], work, lesson) for name in lesson.exercises]
    read = files_in(work.folder)
    files = [_file(name, read(name), work, lesson) for name in lesson.handed_in]
    exercises, files = (
        [replace(row, optional=row.name in lesson.optional) for row in rows] for rows in (exercises, files)
    )
    questions = list(_questions(work.cells, lesson))
    return LessonProgress(lesson.assignment, exercises, questions, files, unsaved if work.cells else list(work.running))


def source_hash(data: bytes) -> str:
    """Return a short hash of a file's content."""
    return hashlib.sha256(data).hexdigest()[:16]


def _saved_text(cells: Sequence[Cell], name: str) -> str:
    """Return the text of the last saved cell that defines an exercise."""
    texts = [source(cell) for cell in cells if cell.get("cell_type") == "code"]
    return next((text for text in reversed(texts) if name in defined(text)), "")


def _same_text(first: str, second: str) -> bool:
    lines = ([line.rstrip() for line in text.strip().splitlines()] for text in (first, second))
    return next(lines) == next(lines)


def _exercise(name: str, text: str, work: SavedFile, lesson: Lesson) -> ExerciseProgress:
    last = _last_entry(work.entries, name)
    points = _points(name, work.cells, last, lesson)
    if not text or (_STUB in text and not (last and last.earned)):
        return ExerciseProgress(name, "not begun", False, f"write {name}", 0.0, points)
    if last is None:
        return ExerciseProgress(name, "not checked yet", False, f'run check("{name}")', 0.0, points)
    if last.text and not _same_text(last.text, text):
        return ExerciseProgress(name, "changed since its check", False, f'run check("{name}") again', 0.0, points)
    done = last.full
    return ExerciseProgress(name, "all points" if done else "not all points yet", done, "", last.earned, last.points)


def _points(name: str, cells: Sequence[Cell], last: Entry | None, lesson: Lesson) -> float:
    """Return the points of an exercise: from its check cell, its last check or, which takes seconds, its checks."""
    for cell in cells:
        if is_check(cell) and checked_exercise(source(cell)) == name:
            marked = cell["metadata"]["nbgrader"].get("points")
            if isinstance(marked, int | float):
                return float(marked)
    return last.points if last else lesson.points(name)


def _last_entry(entries: Sequence[Entry], exercise: str) -> Entry | None:
    return next((entry for entry in reversed(entries) if entry.exercise == exercise), None)


def _questions(cells: Sequence[Cell], lesson: Lesson) -> Iterator[ExerciseProgress]:
    before = ""
    for cell in cells:
        marks = cell.get("metadata", {}).get("nbgrader", {})
        if cell.get("cell_type") == "markdown" and marks.get("solution") and marks.get("grade"):
            titles = _QUESTION.findall(before)
            name = titles[-1] if titles else grade_id(cell)
            done = source(cell).strip() not in _NO_ANSWER
            state = "answered; a person marks it" if done else "not answered"
            to_do, optional = f"answer {name[0].lower()}{name[1:]}", grade_id(cell) in lesson.optional
            yield ExerciseProgress(name, state, done, "" if done else to_do, optional=optional)
        before = source(cell)


def _file(name: str, data: bytes | None, work: SavedFile, lesson: Lesson) -> ExerciseProgress:
    if data is None:
        return ExerciseProgress(name, "not there", False, f"run the cell that writes {name}")
    if _is_damaged(name, data):
        return ExerciseProgress(name, "damaged", False, f"write {name} again")
    reader = next((entry for entry in reversed(work.entries) if name in entry.files), None)
    if reader is None:
        return ExerciseProgress(name, "there, not checked yet", True)
    if reader.files[name] != source_hash(data):
        return ExerciseProgress(name, "written anew since its check", False, f'run check("{reader.exercise}") again')
    if changed := _changed_since(reader, work, lesson):
        step = f'train again, or run check("{reader.exercise}") to see whether it still counts'
        return ExerciseProgress(name, f"older than your last change of {changed}", False, step)
    return ExerciseProgress(name, "there", True)


def _is_damaged(name: str, data: bytes) -> bool:
    """Return whether a file is not in the format that its name promises."""
    try:
        if name.endswith(".json"):
            json.loads(data)
        elif name.endswith(".safetensors"):
            size = int.from_bytes(data[:8], "little")
            if not 0 < size <= len(data) - 8:
                return True
            json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError):
        return True
    return False


def _changed_since(reader: Entry, work: SavedFile, lesson: Lesson) -> str:
    """Return an exercise on which the reader of a file depends and that was changed and checked after the file was written."""
    for name in lesson.builds_on(reader.exercise):
        before = _last_entry([entry for entry in work.entries if entry.time <= reader.time], name)
        now = _last_entry(work.entries, name)
        if before and now and before.text and now.text and not _same_text(before.text, now.text):
            return name
    return ""


_WIDTH = 78


@dataclass(frozen=True)
class Panel:
    """The progress as shown. ``notes`` are sentences about the notebook itself, such as unsaved changes or a second open copy."""

    progress: LessonProgress
    notes: Sequence[str] = ()
    hand_in: str = ""

    @property
    def begun(self) -> bool:
        """True once an exercise has been written or checked, a question answered, or a file made."""
        return any(
            row.done or row.state not in ("not begun", "not answered", "not there") for row in self.progress.rows
        )

    @property
    def _summary(self) -> str:
        """One line: points, questions, files."""
        now = self.progress
        parts = [f"{now.earned:g} of {now.points:g} points by your last checks"]
        if optional := [row for row in now.exercises if row.optional]:
            earned, points = sum(row.earned for row in optional), sum(row.points for row in optional)
            parts.append(f"{earned:g} of {points:g} optional points")
        for rows, label in ((now.questions, "written questions answered"), (now.files, "files ready")):
            if rows:
                parts.append(f"{sum(row.done for row in rows)} of {len(rows)} {label}")
        return ", ".join(parts)

    @property
    def _steps_left(self) -> list[str]:
        """The remaining steps, in order, without those of optional parts."""
        now = self.progress
        unfinished = [row for row in now.rows if not row.done and not row.optional]
        steps = [row.to_do or f"look at the table of {row.name}" for row in unfinished]
        return [*steps, *(["save the notebook"] if now.unsaved else [])]

    @property
    def _next_step(self) -> str:
        if not self._steps_left:
            optional = sum(not row.done for row in self.progress.rows)
            but = f" but {optional} optional part{'s' * (optional > 1)}" if optional else ""
            return f"Nothing is left to do{but}. {self.hand_in}".rstrip()
        more = f", and {len(self._steps_left) - 1} more" if len(self._steps_left) > 1 else ""
        return f"Next: {self._steps_left[0]}{more}. {self.hand_in}".rstrip()

    def __str__(self) -> str:
        lines = [f"{self.progress.assignment}: {self._summary}"]
        for row in self.progress.rows:
            score = _score(row)
            text = f"{_sign(row)} {row.label}: {row.state}"
            lines.append(f"{text:<{_WIDTH - len(score)}}{score}".rstrip())
        return "\n".join([*lines, *self.notes, self._next_step])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = f"<b>{escape(self.progress.assignment)}</b> &nbsp; {escape(self._summary)}"
        rows = (
            html.row(
                f"{html.for_screen_reader(_sign(row), 'done' if row.done else 'to do')} {escape(row.label)}",
                escape(row.state),
                escape(_score(row)) or "–",
                edge=html.RIGHT if row.done else html.WRONG,
            )
            for row in self.progress.rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (*self.notes, self._next_step))
        return html.table(title, ("what", "state", "points"), rows) + notes


def _sign(row: ExerciseProgress) -> str:
    return "✓" if row.done else "○"


def _score(row: ExerciseProgress) -> str:
    return f"{row.earned:g} of {row.points:g}" if row.points else ""
