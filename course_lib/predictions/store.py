"""What was predicted by a click, in a file beside the notebook. It never leaves the machine, and no grade depends on it."""

import contextlib
import json
from pathlib import Path

#: Beside the history of the checks. A hand-in that contains the folder is read without it.
FILE = Path(".autograder", "predictions.json")
#: Bytes of the file that are read; one that is longer counts as damaged.
MOST_BYTES = 2**20

#: The clicks of this kernel, which outlast a folder that cannot be written to.
_HERE: dict[str, str] = {}


def record(name: str, choice: str) -> bool:
    """Keep a choice, and return whether the file has it; if not, it lasts as long as this kernel."""
    from course_lib.training.files import write_bytes  # loads torch, so not before the first click

    _HERE[name] = choice
    with contextlib.suppress(OSError):
        write_bytes(FILE, (json.dumps(_saved() | {name: choice}, indent=1, ensure_ascii=False) + "\n").encode())
        return True
    return False


def recorded(name: str) -> str:
    """Return the choice that was last clicked, in this kernel or an earlier one; empty if there is none."""
    return _HERE.get(name) or _saved().get(name, "")


def _saved() -> dict[str, str]:
    """Return what the file says, without what is no text. A file that cannot be read says nothing: it must stop nobody."""
    try:
        with FILE.open("rb") as file:
            data = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    found = data.items() if isinstance(data, dict) else ()
    return {name: choice for name, choice in found if isinstance(choice, str)}
