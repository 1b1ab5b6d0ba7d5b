"""Write a training's checkpoint at intervals, and resume from it."""

import time
from pathlib import Path

from course_lib.training.checkpoint import load_checkpoint, write_checkpoint
from course_lib.training.resume import pack, unpack
from course_lib.training.run import Run


class Keeper:
    """The checkpoint of a training at `path` (None for no checkpoint), written at most every `every` seconds."""

    def __init__(self, run: Run, path: Path | None, every: float):
        self.run, self.path, self.every = run, path, every
        self.last = time.perf_counter()

    def resume(self) -> None:
        """Resume from the checkpoint, if there is one. Raises CheckpointError."""
        if self.path is not None and self.path.exists():
            unpack(self.run, load_checkpoint(self.path, max_bytes=None), f"'{self.path}'")

    def save(self) -> None:
        """Write the checkpoint. If the training has diverged, raises FloatingPointError or CheckpointError and writes nothing."""
        if self.path is None:
            return
        weights, tensors, facts = pack(self.run)
        write_checkpoint(self.run.model, self.path, weights, {"steps": self.run.steps}, tensors, facts)
        self.last = time.perf_counter()

    def save_if_due(self) -> None:
        """Write the checkpoint if `every` seconds have passed since the last time."""
        if self.path is not None and time.perf_counter() - self.last >= self.every:
            self.save()
