"""What a benchmark measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Figure:
    """One measured figure with its target."""

    name: str
    value: float
    target: float
    unit: str
    better: str = "lower"

    @property
    def passed(self) -> bool:
        return self.value <= self.target if self.better == "lower" else self.value >= self.target


class Solution(Protocol):
    """A lesson's solution, as its benchmark uses it."""

    def names(self) -> dict[str, Any]:
        """Return what the solution defines."""

    def retrain(self, cells: Sequence[str], seed_line: str, seed: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Run the exercises, then the cells that hold these texts, in an empty folder; return what they define.

        seed_line: how the line begins that sets the seed to 0; it is set to ``seed`` instead. given: what other cells would
        define. Raises ValueError unless each text is in exactly one cell, and the line in exactly one of these.
        """
