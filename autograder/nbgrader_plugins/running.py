"""A sign of life while ``nbgrader validate`` runs a notebook."""

import sys
import time
from typing import Any

#: Seconds between two lines, at least.
_EVERY = 5.0


class RunningCells:
    """Called with each cell before it runs; says now and then on standard error which one it is."""

    def __init__(self) -> None:
        self.told = 0.0

    def __call__(self, cell: Any, cell_index: int) -> None:
        now = time.monotonic()
        if cell.cell_type == "code" and now - self.told >= _EVERY:
            self.told = now
            name = cell.metadata.get("nbgrader", {}).get("grade_id") or next(iter(cell.source.splitlines()), "")[:40]
            print(f"running cell {cell_index + 1} ({name}) …", file=sys.stderr, flush=True)
