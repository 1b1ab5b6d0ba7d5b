"""The result of one check, and what is said of it, in words."""

from dataclasses import dataclass

from autograder.runtime.failure import CheckFailure, Diagnosis
from autograder.runtime.student import Exchange

#: How a result's mark is read aloud.
SPOKEN = {"✓": "passed", "✗": "failed", "~": "passed in part", "!": "advice"}


@dataclass
class CheckResult:
    """The result of one check: the property as a sentence, its points, and its failure, if any."""

    name: str
    sentence: str
    points: float
    earned: float
    failure: CheckFailure | None = None
    diagnosis: Diagnosis | None = None
    printed: str = ""
    exchange: Exchange | None = None

    @property
    def passed(self) -> bool:
        return self.failure is None

    @property
    def mark(self) -> str:
        if self.passed:
            return "✓"
        if self.points == 0:
            return "!"
        return "~" if self.earned else "✗"

    @property
    def score(self) -> str:
        """Its points as text, such as ``1 of 2``."""
        return f"{self.earned:g} of {self.points:g}" if self.points else "advice"


def told_before(result: CheckResult, failure: CheckFailure, told: set[str]) -> str:
    """Return the sentence that stands for an explanation that was given above, empty if it was not; remember this one."""
    key = result.diagnosis.name if result.diagnosis else f"{failure.message}\n{failure.yours}"
    known = key in told
    told |= {key, failure.yours}
    if not known:
        return ""
    return f"Same cause as above: {result.diagnosis.name}." if result.diagnosis else "The same as above."
