"""Predictions, in a file beside the notebook that never leaves the machine. No grade depends on it."""

import contextlib
import json
from pathlib import Path

#: Beside the history of the checks, in a folder that is ignored in a submission.
FILE = Path(".autograder", "predictions.json")
#: Maximum size of the file in bytes; a longer one counts as damaged.
MOST_BYTES = 2**20

#: The clicks of this kernel, also available if the folder cannot be written to.
_HERE: dict[str, str] = {}


def record(name: str, choice: str) -> bool:
    """Save a choice, and return whether the file was written; if not, the choice lasts only as long as this kernel."""
    from course_lib.training.files import write_bytes  # loads torch, so not before the first click

    _HERE[name] = choice
    with contextlib.suppress(OSError):
        write_bytes(FILE, (json.dumps(_saved() | {name: choice}, indent=1, ensure_ascii=False) + "\n").encode())
        return True
    return False


def recorded(name: str) -> str:
    """Return the last choice, from this kernel or an earlier one; "" if there is none."""
    return _HERE.get(name) or _saved().get(name, "")


def _saved() -> dict[str, str]:
    """Return the texts in the file; none if it cannot be read, since a damaged file must not stop a student."""
    try:
        with FILE.open("rb") as file:
            data = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    found = data.items() if isinstance(data, dict) else ()
    return {name: choice for name, choice in found if isinstance(choice, str)}
