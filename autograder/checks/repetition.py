"""The trainings of a lesson that are run again from other seeds."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Repetition:
    """One training: the cells that are run again, what is replaced in them, and what is measured then.

    Each of ``cells`` is a piece of text that stands in exactly one cell of the lesson's source; they are run in the notebook's
    order. ``replace`` maps pieces of their text to others, and ``first`` is run before them; ``{seed}`` is the seed in both.
    ``values`` maps names to expressions, evaluated afterwards. ``seeds``: fewer or others, where one run holds several.
    """

    name: str
    cells: tuple[str, ...]
    values: Mapping[str, str]
    replace: Mapping[str, str] = field(default_factory=dict)
    first: str = ""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
