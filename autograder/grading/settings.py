"""How submissions are graded: all that a result depends on beside the submission and the checks."""

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from autograder.judging.lesson import Lessons
from autograder.sandbox.outside.limits import Limits


@dataclass(frozen=True)
class Settings:
    """``seed``: draw every input from this one; otherwise each submission has its own, from the teacher's secret.

    With ``trust`` students' code runs without a sandbox. ``label`` marks the sandbox's processes in the system's list of them.
    ``lessons`` are the course's.
    """

    seed: int | None = None
    trust: bool = False
    limits: Limits = field(default_factory=Limits)
    gpu: bool = False
    label: str = ""
    lessons: Lessons = field(default_factory=Lessons)

    @classmethod
    def from_environment(cls, **given: Any) -> "Settings":
        """Return settings with the limits and the GPU that this machine's environment variables ask for, and what is ``given``.

        AUTOGRADER_LIMITS is a JSON object, AUTOGRADER_GPU is 1. Raises ValueError for limits that are none.
        """
        of_machine: dict[str, Any] = {
            "limits": Limits.from_json(os.environ.get("AUTOGRADER_LIMITS", "")),
            "gpu": os.environ.get("AUTOGRADER_GPU") == "1",
        }
        return cls(**of_machine | given)

    def of_result(self) -> list[Any]:
        """What of these settings a result depends on."""
        return [not self.trust, asdict(self.limits), self.gpu]
