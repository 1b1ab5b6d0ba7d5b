"""Answers that are known to be right or wrong: one file each, in ``<assignment>/<exercise>/<right|wrong>/<name>.py``.

The text of a file takes the place of the exercise's solution cell. Its docstring says what is the matter with a wrong
answer (this is the hint that a student reads) or which style a right one has.
"""

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: The wrong answers that feedback is made from, and the right ones beside them.
OWN_BANK = Path(__file__).parent / "misconceptions"


@dataclass(frozen=True)
class Case:
    """One known answer to one exercise."""

    assignment: str
    exercise: str
    right: bool
    name: str
    path: Path
    text: str

    @functools.cached_property
    def hint(self) -> str:
        """The docstring as one paragraph."""
        return " ".join((ast.get_docstring(ast.parse(self.text)) or "").split())

    @property
    def answer(self) -> str:
        """The text without the docstring: what a student would have written."""
        first = ast.parse(self.text).body[0]
        return "".join(self.text.splitlines(keepends=True)[first.end_lineno :]).lstrip() if self.hint else self.text

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.assignment}/{self.exercise}/{'right' if self.right else 'wrong'}/{self.name}"


def read_bank(folder: Path) -> Iterator[Case]:
    """Yield the cases in ``folder`` in order. Raises ValueError for a folder that holds none."""
    paths = sorted(path for path in folder.glob("*/*/*/*.py") if path.parent.name in ("right", "wrong"))
    if not paths:
        raise ValueError(
            f"There are no cases in {folder}. Expected files named <assignment>/<exercise>/<right|wrong>/<name>.py below it."
        )
    for path in paths:
        assignment, exercise, verdict = path.parts[-4:-1]
        yield Case(assignment, exercise, verdict == "right", path.stem, path, path.read_text(encoding="utf8"))


@functools.cache
def misconceptions(exercise: str) -> tuple[Case, ...]:
    """Return the wrong answers to an exercise that feedback is made from."""
    return tuple(case for case in read_bank(OWN_BANK) if case.exercise == exercise and not case.right)
