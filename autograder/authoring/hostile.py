"""The cases of the attack suite: hostile submissions, each handed in for its own lesson or, adapted, for any other.

A case is a file: either code that replaces the cell of one exercise in an untouched notebook (``# replaces: softmax``), or a
function ``hand_in(folder, notebook, save)`` that creates the submission. It belongs to the first lesson, or to the one named by
``# assignment:``. ``# may earn: 8`` states the points for partly right work; every point above that counts as gained.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.lesson import Lesson
from autograder.grading.course import Course

#: Code appended to a case in another lesson, by which every exercise calls the case's function.
_BRIDGE = """

def _attack(*arguments):
    import inspect
    function = globals().get({name!r})
    if function is None:
        return arguments[0] if arguments else None
    wanted = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    return function(*[*arguments, *[torch.zeros(2, 3)] * len(wanted)][:max(1, len(wanted))])
"""
_FUNCTION = "\ndef {name}(*arguments, **options):\n    return _attack(*arguments)\n"
_CLASS = """
class {name}(torch.nn.Module):
    def __init__(self, *arguments, **options):
        super().__init__()

    def forward(self, *arguments, **options):
        return _attack(*arguments)
"""


@dataclass(frozen=True)
class Case:
    """A hostile submission; ``lesson``: the one for which it was written."""

    path: Path
    lesson: Lesson

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf8")

    @property
    def may_earn(self) -> float:
        return float(self.said("may earn") or 0)

    @property
    def general(self) -> bool:
        """True if the case makes sense in any lesson: it is not a partly right answer, nor tied to another lesson."""
        return self.said("may earn") is None and self.said("assignment") is None

    def said(self, what: str) -> str | None:
        """Return the value of a header line ``# what: ...``."""
        line = re.search(rf"^# {what}: (\S+)$", self.text, re.MULTILINE)
        return line[1] if line else None

    def hand_in(self, lesson: Lesson, place: Path, notebook: dict[str, Any], file: str) -> None:
        """Write the submission for a lesson into the folder ``place``, from the lesson's released notebook."""

        def save(changed: dict[str, Any]) -> None:
            (place / file).write_text(json.dumps(changed), encoding="utf8")

        if self.said("replaces") is None:
            names: dict[str, Callable[..., None]] = {}
            exec(compile(self._renamed(lesson), str(self.path), "exec"), names)
            names["hand_in"](place, notebook, save)
            return
        cells = {notebooks.grade_id(cell): cell for cell in notebook["cells"]}
        for exercise, text in self._answers(lesson).items():
            cells[exercise]["source"] = text  # KeyError for a mistyped name
        save(notebook)

    def _renamed(self, lesson: Lesson) -> str:
        """Return the code with the lesson's exercises in place of those of the case's own."""
        theirs = lesson.exercises
        new = {own: theirs[number % len(theirs)] for number, own in enumerate(self.lesson.exercises)}
        words = "|".join(map(re.escape, new))
        return self.text if lesson == self.lesson else re.sub(rf"\b({words})\b", lambda m: new[m[1]], self.text)

    def _answers(self, lesson: Lesson) -> dict[str, str]:
        """Return the text of each replaced cell; in another lesson, of every exercise, with the case's code in the first."""
        name = str(self.said("replaces"))
        if lesson == self.lesson:
            return {name: self.text}
        references = lesson.module("references")
        parts = [_CLASS if isinstance(getattr(references, one, None), type) else _FUNCTION for one in lesson.exercises]
        found = {one: part.format(name=one) for one, part in zip(lesson.exercises, parts, strict=True)}
        first = lesson.exercises[0]
        return found | {first: self.text + _BRIDGE.format(name=name) + found[first]}


def read(source: Course, folder: Path) -> list[Case]:
    """Return the cases in a folder."""
    return [_read(source, path) for path in sorted(folder.glob("*.py"))]


def _read(source: Course, path: Path) -> Case:
    said = re.search(r"^# assignment: (\S+)$", path.read_text(encoding="utf8"), re.MULTILINE)
    return Case(path, source.lessons.of(said[1] if said else source.assignments[0]))


def by_assignment(source: Course, cases: Iterable[Case], elsewhere: Callable[[int], bool]) -> dict[str, list[Case]]:
    """Return the cases to try in each assignment: its own, and the general ones whose number ``elsewhere`` selects."""
    cases = list(cases)
    general = [case for case in cases if case.general]
    found: dict[str, list[Case]] = {}
    for place, assignment in enumerate(source.assignments):
        own = [case for case in cases if case.lesson.assignment == assignment]
        others = [case for number, case in enumerate(general) if elsewhere(number + place) and case not in own]
        found[assignment] = own + others
    return found
