"""The core and the optional parts of a lesson.

A section or a question is optional if its heading ends in ``(optional)``, or in a bracket with ``optional`` as its last word:
``### Written question 2 (2 points, graded by hand, optional)``. So is everything below it, down to the next heading of the same
or a higher level. An exercise is optional if its text begins with ``**Exercise 3 (optional).**``; its cell and its check are then
optional too.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from autograder.content.notebook import Cell, is_check, source

_HEADING = re.compile(r"(#{1,6}) +(.*?) *")
_EXERCISE = re.compile(r"\*\*Exercise \d+(.*?)\.?\*\*")
_OPTIONAL = re.compile(r"\((?:[^()]*, )?optional\)$")
_FENCE = "```"


class Piece(NamedTuple):
    """A piece of a cell. ``named``: its own heading or exercise title marks it as optional."""

    text: str
    optional: bool
    named: bool = False


def pieces(cells: Iterable[Cell]) -> Iterator[list[Piece]]:
    """Yield the pieces of each cell: a Markdown cell is cut at each heading and exercise, any other cell is one piece."""
    state = _State()
    for cell in cells:
        if cell["cell_type"] != "markdown":
            yield [Piece(source(cell), state.optional)]
            state.exercise = state.exercise and not is_check(cell)
            continue
        cell_pieces = [Piece("", state.optional)]
        fenced = False
        for line in source(cell).splitlines(keepends=True):
            fenced ^= line.lstrip().startswith(_FENCE)
            named = None if fenced else state.enter(line.rstrip())
            if named is not None:
                cell_pieces.append(Piece("", state.optional, named))
            cell_pieces[-1] = cell_pieces[-1]._replace(text=cell_pieces[-1].text + line)
        yield [piece for piece in cell_pieces if piece.text.strip()] or cell_pieces[:1]


def optional_cells(cells: Iterable[Cell]) -> list[bool]:
    """Return for each cell whether it is optional as a whole."""
    return [all(piece.optional for piece in of_cell) for of_cell in pieces(cells)]


class _State:
    """A position in a lesson: the level of the enclosing optional section (0 for none), and whether the exercise is optional."""

    def __init__(self) -> None:
        self.level, self.exercise = 0, False

    @property
    def optional(self) -> bool:
        return bool(self.level) or self.exercise

    def enter(self, line: str) -> bool | None:
        """Read a line. Return whether it begins an optional section or exercise, or None if it begins neither."""
        if heading := _HEADING.fullmatch(line):
            named = bool(_OPTIONAL.search(heading[2]))
            self.exercise = False
            if not self.level or len(heading[1]) <= self.level:
                self.level = len(heading[1]) if named else 0
            return named
        if exercise := _EXERCISE.match(line):
            self.exercise = bool(_OPTIONAL.search(exercise[1]))
            return self.exercise
        return None
