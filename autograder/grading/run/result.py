"""The result of grading one submission, as plain data."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Output = dict[str, Any]


@dataclass
class Result:
    """The verdict on one submission.

    ``outputs`` maps a cell's number to its outputs, in nbformat's form. ``scores`` maps the grade_id of a check cell that ran
    to (points earned, points possible). ``errors`` lists the cells that stopped, as (cell, error), and ``notes`` what a person
    should look at. ``author`` is the id whose numbers counted in exercises with variants.
    """

    assignment: str
    digest: str
    seed: int
    sealed: bool
    checks: str
    environment: Mapping[str, str]
    outputs: dict[int, list[Output]] = field(default_factory=dict)
    scores: dict[str, tuple[float, float]] = field(default_factory=dict)
    exercises: list[dict[str, Any]] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    author: str = ""

    @property
    def earned(self) -> float:
        return sum(exercise["earned"] for exercise in self.exercises)

    @property
    def points(self) -> float:
        return sum(exercise["points"] for exercise in self.exercises)

    @property
    def identity(self) -> tuple[str, str]:
        """What tells one piece of work from another: its content, and whose numbers count."""
        return self.digest, self.author

    @property
    def whose_numbers(self) -> str:
        """A sentence that says whose numbers counted; empty where that is nothing to be said."""
        return f"The numbers are those of {self.author}." if self.author else ""

    def as_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=True, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Result":
        """Read a result. Raises ValueError for anything else."""
        try:
            data = json.loads(text)
            data["outputs"] = {int(number): items for number, items in data["outputs"].items()}
            data["scores"] = {name: (float(e), float(of)) for name, (e, of) in data["scores"].items()}
            data["errors"] = [(str(which), str(error)) for which, error in data["errors"]]
            return cls(**data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"not a result: {error!r}") from None


def points_between(earned: float, most: float) -> float:
    """Return ``earned`` as a plain finite float between 0 and ``most``."""
    return min(max(float(earned), 0.0), float(most)) if math.isfinite(earned) else 0.0


def worth(score: tuple[float, float], points: float) -> float:
    """Scale (earned, maximum) to the number of points that the gradebook gives the exercise."""
    earned, of = score
    return earned if of == points or not of else round(earned / of * points, 4)
