"""Estimate how long a lesson takes a student, from its source: reading, exercises, experiments and written questions.

The rates assume a student with the prerequisites: 150 words a minute; 10, 25 and 60 minutes for an exercise of one, two and three
dots; 4 minutes for an experiment (predict, run, compare) and 18 for a written question.
"""

import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass

from nbformat.notebooknode import NotebookNode

from autograder.authoring.optional_parts import Piece, pieces

WORDS_A_MINUTE = 150
EXERCISE = {"●": 10, "●●": 25, "●●●": 60}
EXPERIMENT, QUESTION = 4, 18

_EXERCISE = re.compile(r"^\*\*Exercise \d+(?: \(optional\))?\.\*\* (●+) ")
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$|`[^`]+`", re.DOTALL)
_HOURS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_HOURS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen"]


@dataclass(frozen=True)
class Workload:
    """The minutes needed for parts of a lesson."""

    reading: float = 0.0
    exercises: int = 0
    experiments: int = 0
    questions: int = 0

    @property
    def minutes(self) -> float:
        return self.reading + self.exercises + self.experiments + self.questions

    def __add__(self, other: "Workload") -> "Workload":
        return Workload(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def in_words(self) -> str:
        """Return the hours in words, rounded to half hours, as a lesson states them: ``three and a half hours``."""
        halves = max(1, round(self.minutes / 30))
        if halves == 1:
            return "half an hour"
        hours = _HOURS[halves // 2] + " and a half" * (halves % 2)
        return f"{hours} hour{'s' * (hours != 'one')}"


def workload(cells: Iterable[NotebookNode]) -> tuple[Workload, Workload]:
    """Return the workloads of a lesson's core and of its optional parts, from the cells of its source."""
    core, optional = Workload(), Workload()
    read = list(cells)
    for cell, of_cell in zip(read, pieces(read), strict=True):
        for piece in of_cell:
            if piece.optional:
                optional += _workload(cell, piece)
            else:
                core += _workload(cell, piece)
    return core, optional


def plan(cells: Iterable[NotebookNode]) -> str:
    """Return the sentence in which a lesson states its hours, without its full stop."""
    core, optional = workload(cells)
    more = re.sub("(?<!an) hours?$", "", optional.in_words())
    rest = f"; the optional parts take about {more} more" if optional.minutes else ""
    return f"Plan about {core.in_words()}{rest}"


def _workload(cell: NotebookNode, piece: Piece) -> Workload:
    """Return the workload of a piece of a cell. A formula counts as one word."""
    if cell.cell_type != "markdown":
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
        counts = cell.cell_type == "code" and "experiment" in cell.metadata.get("tags", []) and not hidden
        return Workload(experiments=EXPERIMENT if counts else 0)
    dots = _EXERCISE.match(piece.text)
    return Workload(
        reading=len(_FORMULA.sub("x", piece.text).split()) / WORDS_A_MINUTE,
        exercises=EXERCISE[dots[1]] if dots else 0,
        questions=QUESTION if cell.metadata.get("nbgrader", {}).get("grade", False) else 0,
    )


def exercise_minutes(cells: Iterable[NotebookNode]) -> dict[str, int]:
    """Return the minutes of each exercise, by the grade id of its solution cell."""
    minutes, dots = dict[str, int](), ""
    for cell in cells:
        graded = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            dots = next((match[1] for line in cell.source.splitlines() if (match := _EXERCISE.match(line))), dots)
        elif graded.get("solution") and dots:
            minutes.setdefault(graded["grade_id"], EXERCISE[dots])
    return minutes
