"""What the zip says to the container that grades."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.grading.roster.policy import LateRule

SETTINGS = "gradescope.json"


@dataclass(frozen=True)
class Settings:
    """``trusted``: built for submissions that may run without a sandbox. ``secret`` makes the inputs unforeseeable."""

    assignment: str
    trusted: bool = False
    leaderboard: bool = False
    secret: str = ""
    late: LateRule | None = None

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def read_settings(source: Path) -> Settings:
    """Read the settings in the unpacked zip. Raises ValueError if they are not there or damaged."""
    path = source / SETTINGS
    try:
        data = json.loads(path.read_text(encoding="utf8"))
        late = LateRule(**data["late"]) if data.get("late") else None
        return Settings(**data | {"late": late})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} cannot be read ({error}). Build the zip again: autograder gradescope") from None
