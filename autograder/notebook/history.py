"""The history of a notebook's checks, in a file beside it that never leaves the machine. No grade depends on it."""

import contextlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: The folder of histories, beside the notebook; ignored in a submission.
FOLDER = ".autograder"
#: Maximum number of bytes read from a history, and number of entries kept when it grows longer.
MOST_BYTES, KEPT = 2**21, 200
_LONGEST_TEXT = 20_000


@dataclass(frozen=True)
class Entry:
    """One check of one exercise.

    ``time``: seconds since 1970. ``kernel``: an id of the kernel's process. ``text``: the cell that defined the exercise; empty
    if unknown. ``passed``: whether each property passed. ``files``: fingerprints of the files that the check read, by name.
    """

    exercise: str
    time: float
    kernel: str
    earned: float
    points: float
    text: str = ""
    passed: Mapping[str, bool] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        return self.earned == self.points


class History:
    """The entries of one lesson, oldest first, in ``folder/.autograder/<lesson>.jsonl``."""

    def __init__(self, folder: str | Path, lesson: str):
        self.path = Path(folder, FOLDER, f"{lesson}.jsonl")

    def entries(self) -> list[Entry]:
        """Read the entries of the history, skipping damaged lines."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - MOST_BYTES))
                lines = file.read(MOST_BYTES).splitlines()
        except OSError:
            return []
        return [entry for line in lines if (entry := _entry(line)) is not None]

    def last(self, exercise: str) -> Entry | None:
        """Return the latest entry of an exercise."""
        return next((entry for entry in reversed(self.entries()) if entry.exercise == exercise), None)

    def add(self, entry: Entry) -> None:
        """Append an entry; do nothing if the folder is not writable, since a check must not fail because of its history."""
        line = json.dumps(asdict(entry) | {"text": entry.text[:_LONGEST_TEXT]}) + "\n"
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            with self.path.open("a", encoding="utf8", newline="\n") as file:
                file.write(line)
            if self.path.stat().st_size > MOST_BYTES:
                self._shorten()

    def _shorten(self) -> None:
        lines = [json.dumps(asdict(entry)) + "\n" for entry in self.entries()[-KEPT:]]
        temporary = self.path.with_suffix(f".{os.getpid()}.part")
        temporary.write_text("".join(lines), encoding="utf8", newline="\n")
        temporary.replace(self.path)


def _entry(line: bytes) -> Entry | None:
    try:
        data: dict[str, Any] = json.loads(line)
        entry = Entry(**data)
        texts_valid = isinstance(entry.exercise, str) and isinstance(entry.text, str) and isinstance(entry.kernel, str)
        numbers_valid = all(math.isfinite(number) for number in (entry.time, entry.earned, entry.points))
        return (
            entry
            if texts_valid and numbers_valid and isinstance(entry.passed, dict) and isinstance(entry.files, dict)
            else None
        )
    except (ValueError, TypeError, RecursionError):
        return None
