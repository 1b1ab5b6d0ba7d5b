"""Estimate how long a lesson takes a student, from its source: reading, exercises, experiments and written questions.

The rates are those of a student who has the prerequisites: 150 words of such a text a minute, 10, 25 and 60 minutes for an
exercise of one, two and three dots, 4 for an experiment (predict, run, compare) and 18 for a written question.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbformat.notebooknode import NotebookNode

WORDS_A_MINUTE = 150
EXERCISE = {"●": 10, "●●": 25, "●●●": 60}
EXPERIMENT, QUESTION = 4, 18

_EXERCISE = re.compile(r"^\*\*Exercise \d+\.\*\* (●+) ", re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$|`[^`]+`", re.DOTALL)
_HOURS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
]


@dataclass(frozen=True)
class Workload:
    """The minutes that the parts of a lesson take."""

    reading: float
    exercises: int
    experiments: int
    questions: int

    @property
    def minutes(self) -> float:
        return self.reading + self.exercises + self.experiments + self.questions

    def in_words(self) -> str:
        """Return the hours, to the half hour, as a lesson states them: ``three and a half hours``."""
        halves = round(self.minutes / 30)
        if halves == 1:
            return "half an hour"
        hours = _HOURS[halves // 2] + " and a half" * (halves % 2)
        return f"{hours} hour{'s' * (hours != 'one')}"


def workload(cells: Iterable[NotebookNode]) -> Workload:
    """Return the workload of a lesson, from the cells of its source. A formula is read as one word."""
    read = list(cells)
    texts = [cell.source for cell in read if cell.cell_type == "markdown"]
    tagged = [cell for cell in read if "experiment" in cell.metadata.get("tags", []) and cell.cell_type == "code"]
    marks = [cell.metadata.get("nbgrader", {}) for cell in read if cell.cell_type == "markdown"]
    return Workload(
        reading=sum(len(_FORMULA.sub("x", text).split()) for text in texts) / WORDS_A_MINUTE,
        exercises=sum(EXERCISE[dots] for text in texts for dots in _EXERCISE.findall(text)),
        experiments=EXPERIMENT * sum(not cell.metadata.get("jupyter", {}).get("source_hidden") for cell in tagged),
        questions=QUESTION * sum(each.get("grade", False) for each in marks),
    )
