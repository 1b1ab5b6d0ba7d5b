"""The result of a benchmark."""

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
        """Return the names that the solution defines."""

    def retrain(self, cells: Sequence[str], seed_line: str, seed: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Run the exercises, then the cells that contain these texts, in an empty folder; return the names they define.

        seed_line: the beginning of the line that sets the seed to 0; it is set to ``seed`` instead. given: names that other cells
        would define. Raises ValueError unless each text is in exactly one cell, and the line in exactly one of these.
        """
