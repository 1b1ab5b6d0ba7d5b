"""The bank of known right and wrong answers, and its text format, in which an answer is an edit of another.

A ``.diff`` is a list of entries. Each begins with ``@@ name @@ hint``, or with ``@@ name < base @@ hint`` if its base is not
the first entry. The hint may continue on the following lines. Lines that begin with ``?`` explain the mistake and name a small
experiment that shows it. The body of a base is its text, each line prefixed with ``|``; the body of a mistake is its edits:

- ``old → new`` replaces a piece of one line,
- a run of lines that begin with ``-``, ``+`` or a space is a hunk of a diff: it removes, adds or keeps whole lines.

The text that an edit replaces must occur exactly once in the base. ``(right)`` after the name marks a right answer.

A lesson's ``answers/NAME.diff`` holds the bases and the mistakes, and ``answers/right/NAME/*.py`` right answers in other styles.
"""

import ast
import contextlib
import difflib
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from autograder.content import packed
from autograder.content.lesson import Lesson, Lessons

ARROW = " → "

_HEAD = re.compile(r"@@ (?P<name>\w+)(?P<right> \(right\))?(?: < (?P<base>\w+))? @@(?: (?P<hint>.*))?")


@dataclass(frozen=True)
class Entry:
    """One entry of a ``.diff``: its text, and the text of the base that it edits (None if it is a base itself)."""

    name: str
    right: bool
    hint: str
    text: str
    base: str | None = None
    why: str = ""

    def diff(self) -> str:
        """Return the diff against the base, or the whole text for a base."""
        if self.base is None:
            return self.text
        lines = difflib.unified_diff(self.base.splitlines(), self.text.splitlines(), n=1, lineterm="")
        return "\n".join(line for line in itertools.islice(lines, 2, None) if not line.startswith("@@"))


def read_entries(text: str, where: str) -> list[Entry]:
    """Parse a ``.diff``, and return its entries in order. Raises ValueError with the location of an invalid entry."""
    entries: dict[str, Entry] = {}
    for head, lines in _blocks(text, where):
        name, right, base = head["name"], bool(head["right"]), head["base"] or next(iter(entries), None)
        place = f"{where}, {name}"
        if name in entries:
            raise ValueError(f"{place}: there are two entries of this name.")
        body = next((n for n, line in enumerate(lines) if _is_edit(line)), len(lines))
        hint = _joined(head["hint"] or "", *(line for line in lines[:body] if not line.startswith("?")))
        why = _joined(*(line[1:] for line in lines[:body] if line.startswith("?")))
        edits = lines[body:]
        if edits and all(line.startswith("|") for line in edits):
            entries[name] = Entry(name, right, hint, "".join(f"{line[1:]}\n" for line in edits), None, why)
        elif base not in entries:
            raise ValueError(f"{place}: its base {base!r} is not an entry above it.")
        else:
            before = entries[base].text
            entries[name] = Entry(name, right, hint, _edited(before, edits, place), before, why)
    return list(entries.values())


def _joined(*lines: str) -> str:
    return " ".join(line.strip() for line in lines).strip()


def _blocks(text: str, where: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield the header and the body lines of each entry. Text above the first entry is ignored."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("@@"):
            if head is not None:
                yield head, lines
            head, lines = _HEAD.fullmatch(line), []
            if head is None:
                raise ValueError(f"{where}, line {number}: expected '@@ name @@ hint', but got {line!r}.")
        elif head is not None and line:
            lines.append(line)
    if head is not None:
        yield head, lines


def _is_edit(line: str) -> bool:
    return line.startswith(("|", "-", "+", " ")) or ARROW in line or line.endswith(ARROW.rstrip())


def _edited(text: str, lines: Sequence[str], place: str) -> str:
    """Apply the edits to a base. Raises ValueError unless the old text of each edit occurs exactly once."""
    if not lines:
        raise ValueError(f"{place}: it is neither a text nor an edit of one.")
    for is_hunk, group in itertools.groupby(lines, key=lambda line: line[0] in "-+ "):
        if is_hunk:
            for hunk in _hunks(list(group)):
                old, new = ("".join(f"{line[1:]}\n" for line in hunk if line[0] in signs) for signs in ("- ", "+ "))
                text = _replace(f"\n{text}", f"\n{old}", f"\n{new}", place)[1:]
        else:
            for line in group:
                old, _, new = f"{line} ".partition(ARROW)
                text = _replace(text, old, new[:-1], place)
    return text


def _hunks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Split a run of diff lines into hunks: a context line or a removal that follows an added line starts a new hunk."""
    hunk: list[str] = []
    for line in lines:
        added = any(before[0] == "+" for before in hunk)
        if hunk and (added and line[0] in "- "):
            yield hunk
            hunk = []
        hunk.append(line)
    if hunk:
        yield hunk


def _replace(text: str, old: str, new: str, place: str) -> str:
    times = text.count(old)
    if times != 1:
        raise ValueError(
            f"{place}: expected the text {old.strip()!r} exactly once in the base, but it is there {times} times."
        )
    return text.replace(old, new)


@dataclass(frozen=True)
class Case:
    """One known answer to one exercise.

    ``hint``: the text for a student with this mistake, or the style of a right answer. ``why``: why the mistake has its effect,
    and a small experiment that shows it.
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
    """Return the entries of an exercise's ``.diff``; empty if it does not exist, packed or not."""
    path = lesson.folder / "answers" / f"{exercise}.diff"
    text = packed.read_text(path, lesson.folder)
    return () if text is None else tuple(read_entries(text, str(path)))


@functools.cache
def cases_of(lesson: Lesson, exercise: str) -> tuple[Case, ...]:
    """Return all known answers to an exercise: those of the ``.diff`` in its order, then right ones in other styles by name.

    Of mistakes that no check tells apart, the diagnosis names the first: an author puts the usual one there.
    """
    from_diff = [
        Case(lesson.assignment, exercise, entry.right, entry.name, entry.text, entry.hint, entry.why)
        for entry in entries_of(lesson, exercise)
    ]
    files = sorted((lesson.folder / "answers" / "right" / exercise).glob("*.py"))
    return (*from_diff, *(_from_file(lesson.assignment, exercise, path, True) for path in files))


def misconceptions(lesson: Lesson, exercise: str) -> tuple[Case, ...]:
    """Return the wrong answers to an exercise that the diagnosis may use."""
    hidden = _hidden.get()
    return tuple(case for case in cases_of(lesson, exercise) if not case.right and str(case) not in hidden)


_hidden: ContextVar[frozenset[str]] = ContextVar("cases that the feedback does not know", default=frozenset())


@contextlib.contextmanager
def hidden_cases(cases: Iterable[str]) -> Iterator[None]:
    """Hide these cases from the diagnosis, to test its feedback on mistakes that are not in the bank."""
    token = _hidden.set(frozenset(cases))
    try:
        yield
    finally:
        _hidden.reset(token)


def course_cases(lessons: Lessons, assignments: Sequence[str]) -> list[Case]:
    """Return the known answers of these assignments, in course order."""
    lessons_with_content = [lessons.of(assignment) for assignment in assignments if lessons.has(assignment)]
    return [
        case for lesson in lessons_with_content for exercise in lesson.exercises for case in cases_of(lesson, exercise)
    ]


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
    """Read a case from a file: its text replaces the solution, and its docstring is the hint."""
    text = path.read_text(encoding="utf8")
    return Case(assignment, exercise, right, path.stem, text, _docstring(text))


def _docstring(text: str) -> str:
    try:
        return " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    except SyntaxError:  # a wrong answer may contain a syntax error
        return ""


@dataclass(frozen=True)
class Pupil:
    """A sample submission of ``autograder demo``: the known answers that replace the solution's, and the points to be earned.

    ``lost`` maps an exercise to the points that its wrong answer should lose; all other exercises earn full points. ``kind`` is
    ``answers``, ``release`` (handed in untouched), ``syntax error``, ``missing`` (no notebook) or ``corrupt``.
    """

    name: str
    about: str
    answers: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, float] = field(default_factory=dict)
    kind: str = "answers"
