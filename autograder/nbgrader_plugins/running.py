"""Progress messages while ``nbgrader validate`` runs a notebook."""

import sys
import time
from typing import Any

#: Minimum number of seconds between two messages.
_EVERY = 5.0


class RunningCells:
    """A hook called before each cell runs, which names the cell on standard error now and then."""

    def __init__(self) -> None:
        self.reported = 0.0

    def __call__(self, cell: Any, cell_index: int) -> None:
        now = time.monotonic()
        if cell.cell_type == "code" and now - self.reported >= _EVERY:
            self.reported = now
            name = cell.metadata.get("nbgrader", {}).get("grade_id") or next(iter(cell.source.splitlines()), "")[:40]
            print(f"running cell {cell_index + 1} ({name}) …", file=sys.stderr, flush=True)
