"""Known answers: right ones in many styles, and common mistakes, each stored as edits of another answer.

A lesson's ``answers/NAME.diff`` holds the bases and the mistakes (:mod:`autograder.content.entries` says how), and
``answers/right/NAME/*.py`` right answers in other styles.
"""

import ast
import contextlib
import functools
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from autograder.content.entries import Entry, read_entries
from autograder.content.lesson import Lesson, Lessons


@dataclass(frozen=True)
class Case:
    """One known answer to one exercise. ``hint`` is the text for a student with this mistake, or the style of a right answer.

    ``why`` says why the mistake does what it does, and with which small experiment one sees it.
    """

    assignment: str
    exercise: str
    right: bool
    name: str
    text: str
    hint: str = ""
    why: str = ""

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.assignment}/{self.exercise}/{'right' if self.right else 'wrong'}/{self.name}"


@functools.cache
def entries_of(lesson: Lesson, exercise: str) -> tuple[Entry, ...]:
    """Return the entries of an exercise's ``.diff``; empty if the file does not exist."""
    path = lesson.folder / "answers" / f"{exercise}.diff"
    return tuple(read_entries(path.read_text(encoding="utf8"), str(path))) if path.is_file() else ()


@functools.cache
def cases_of(lesson: Lesson, exercise: str) -> tuple[Case, ...]:
    """Return all known answers to an exercise, right and wrong, each kind sorted by name."""
    written = [
        Case(lesson.assignment, exercise, entry.right, entry.name, entry.text, entry.hint, entry.why)
        for entry in entries_of(lesson, exercise)
    ]
    files = (lesson.folder / "answers" / "right" / exercise).glob("*.py")
    return tuple(sorted([*written, *(_from_file(lesson.assignment, exercise, path, True) for path in files)], key=str))


def misconceptions(lesson: Lesson, exercise: str) -> tuple[Case, ...]:
    """Return the wrong answers to an exercise, on which feedback is based."""
    out = _hidden.get()
    return tuple(case for case in cases_of(lesson, exercise) if not case.right and str(case) not in out)


_hidden: ContextVar[frozenset[str]] = ContextVar("cases that the feedback does not know", default=frozenset())


@contextlib.contextmanager
def hidden(cases: Iterable[str]) -> Iterator[None]:
    """Inside, feedback is made without these cases, to find what it says of a mistake that nobody has thought of."""
    token = _hidden.set(frozenset(cases))
    try:
        yield
    finally:
        _hidden.reset(token)


def own_cases(lessons: Lessons, assignments: Sequence[str]) -> list[Case]:
    """Return the known answers of these assignments, in course order."""
    found = [lessons.of(assignment) for assignment in assignments if lessons.has(assignment)]
    return [case for lesson in found for exercise in lesson.exercises for case in cases_of(lesson, exercise)]


def read_bank(folder: Path) -> list[Case]:
    """Return the cases in an external folder, ``<assignment>/<exercise>/<right|wrong>/<name>.py``, in order.

    Raises ValueError if the folder holds none.
    """
    paths = sorted(path for path in folder.glob("*/*/*/*.py") if path.parent.name in ("right", "wrong"))
    if not paths:
        raise ValueError(
            f"There are no cases in {folder}. Expected files named <assignment>/<exercise>/<right|wrong>/<name>.py below it."
        )
    return [_from_file(path.parts[-4], path.parts[-3], path, path.parent.name == "right") for path in paths]


def _from_file(assignment: str, exercise: str, path: Path, right: bool) -> Case:
    """Return the case in a file: its text replaces the solution, and its docstring is the hint."""
    text = path.read_text(encoding="utf8")
    return Case(assignment, exercise, right, path.stem, text, _docstring(text))


def _docstring(text: str) -> str:
    try:
        return " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    except SyntaxError:  # a wrong answer may contain a syntax error
        return ""
