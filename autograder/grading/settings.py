"""Settings of grading: everything a result depends on besides the submission and the checks."""

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from autograder.content.lesson import Lessons
from autograder.sandbox.limits import Limits


@dataclass(frozen=True)
class Settings:
    """``seed``: the seed for all inputs; None gives each submission its own, derived from the teacher's secret.

    With ``trust``, students' code runs without a sandbox. ``label`` marks the sandbox's processes in the process list.
    ``lessons`` are the course's.
    """

    seed: int | None = None
    trust: bool = False
    limits: Limits = field(default_factory=Limits)
    gpu: bool = False
    label: str = ""
    lessons: Lessons = field(default_factory=Lessons)

    @classmethod
    def from_environment(cls, **overrides: Any) -> "Settings":
        """Return settings with the limits and the GPU from this machine's environment variables, overridden by ``overrides``.

        AUTOGRADER_LIMITS is a JSON object, AUTOGRADER_GPU is 1. Raises ValueError for invalid limits.
        """
        of_machine: dict[str, Any] = {
            "limits": Limits.from_json(os.environ.get("AUTOGRADER_LIMITS", "")),
            "gpu": os.environ.get("AUTOGRADER_GPU") == "1",
        }
        return cls(**of_machine | overrides)

    def of_result(self) -> list[Any]:
        """Return the settings that affect a result."""
        return [not self.trust, asdict(self.limits), self.gpu]
