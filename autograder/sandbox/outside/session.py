"""Outside: one submission being graded. After each stop it gets a new worker, in which its cells run again."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from autograder.sandbox import decoding, encoding
from autograder.sandbox.outside.box import Box
from autograder.sandbox.outside.cell_result import CellResult, cell_result
from autograder.sandbox.outside.worker import Stopped, Worker
from autograder.sandbox.requests import unpack_failure
from autograder.sandbox.set_up import SetUp

_Right = tuple[list[str], str]


class SetUpFailed(Exception):
    """A worker could not be set up for a submission, and has run none of its code. A person has to look at its files."""


class Session:
    """Runs a submission's cells in a sandbox and sends it requests. ``stops`` counts how often its process had to be ended."""

    def __init__(
        self, box: Box, forbid: tuple[str, ...] = (), files: Mapping[str, bytes] | None = None, lesson: str = ""
    ):
        self.box, self.forbid, self.files, self.lesson = box, forbid, dict(files or {}), lesson
        self.done: list[str] = []
        self.stops = 0
        self.begun = time.monotonic()
        self._worker: Worker | None = None
        self._measures = ""  # what the worker is for, if it may have no other process: "time" or "memory"
        self._right: _Right | None = None  # earlier exercises to be replaced, and their right versions
        self._kept: dict[str, tuple[Worker, _Right | None, list[str]]] = {}  # of earlier measurements
        self._workers: list[Worker] = []  # all that have run the submission's code, to sum their time

    # ------------------------------------------------------------ cells

    def run_cell(self, text: str) -> CellResult:
        """Run a cell. A cell that stops the process is skipped from then on."""
        try:
            reply, _ = self.worker().ask("run", {"text": text}, cpu=self.box.limits.cell_cpu)
        except Stopped as stopped:
            self._lost()
            return CellResult(error=("Stopped", str(stopped), f"Stopped: {stopped}"))
        if "failure" in reply:  # the student's code has broken the shell: nothing ran
            return CellResult(error=("Stopped", "The cell could not be run.", "Stopped: The cell could not be run."))
        self.done.append(text)
        return cell_result(reply)

    # ------------------------------------------------------------ workers

    def worker(self) -> Worker:
        """Return the worker; if there is none, a fresh one with the cells run again. Raises Stopped if the limits are used up."""
        limits = self.box.limits
        if self.stops >= limits.stops:
            raise Stopped("often", "Stopped too often: this notebook is no longer run.")
        if self.used() > limits.total_cpu or time.monotonic() - self.begun > limits.total_wall:
            raise Stopped("total", "The time for the whole notebook is used up.")
        if self._worker is None:
            self._worker = self._with_cells_run()
        return self._worker

    def start(self, forbid: tuple[str, ...], files: Mapping[str, bytes], measures: str = "") -> Worker:
        """Return a worker with these files, for which the functions in ``forbid`` are out of reach.

        Raises SetUpFailed if the files could not be written.
        """
        limits = self.box.limits
        worker = self.box.spawn(SetUp(forbid, self.lesson, self.box.threads, limits.inside(), measures))
        worker.deadline = self.begun + limits.total_wall
        packing = encoding.Packing()
        content = {name: _as_tensor(data) for name, data in files.items()}
        reply, unpacking = worker.ask("files", {"files": encoding.pack(content, packing)}, packing)
        if "failure" in reply:
            worker.close()
            raise SetUpFailed(
                f"its files could not be written into the sandbox: {unpack_failure(reply['failure'], unpacking).yours}"
            )
        return worker

    def _with_cells_run(self) -> Worker:
        """Return a fresh worker that has run the cells so far. A cell that stops it is dropped from ``done``."""
        cells: Sequence[str] = self.done
        while True:
            worker, text = self.start(self.forbid, self.files, self._measures), ""
            self._workers.append(worker)
            try:
                for text in cells:
                    worker.ask("run", {"text": text}, cpu=self.box.limits.cell_cpu)
            except Stopped:
                self.stops += 1
                cells = [cell for cell in cells if cell != text]
                self.done = [cell for cell in self.done if cell != text]
                if self.stops >= self.box.limits.stops:
                    raise
            else:
                self._replace_exercises(worker)
                return worker

    def used(self) -> float:
        """Return the processor seconds that all workers of the submission have used so far."""
        return sum(worker.cpu() for worker in self._workers)

    def _lost(self) -> None:
        self._end_worker()
        self.stops += 1

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def close(self) -> None:
        """End the submission's processes and any that they have left behind."""
        for worker in self._workers:
            worker.close()
        self._worker = None

    # ------------------------------------------------------------ requests

    def ask(
        self, op: str, header: dict[str, Any], packing: encoding.Packing | None = None, alone: bool = False
    ) -> tuple[dict[str, Any], decoding.Unpacking]:
        """Send one request to the worker. Raises Stopped, after which the next request goes to a fresh worker."""
        worker = self.worker()
        worker.process.kill_descendants()
        try:
            return worker.ask(op, header, packing, alone=alone)
        except Stopped:
            self._lost()
            raise

    def with_right(self, names: Sequence[str], text: str) -> contextlib.AbstractContextManager[None]:
        """Redirect requests to a second worker in which right versions replace the student's earlier exercises."""
        return self._another(self._measures, ([*names], text))

    def measuring(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Redirect requests to a worker for measurements of "time" or of "memory", which can have no other process.

        It is kept until other cells have run.
        """
        return self._another(what, self._right)

    @contextlib.contextmanager
    def _another(self, measures: str, right: _Right | None) -> Iterator[None]:
        own = self._worker, self._measures, self._right
        self._worker, self._measures, self._right = None, measures, right
        try:
            self._worker = self._take_kept() or self._with_cells_run()
            yield
        finally:
            self._keep_or_end()
            self._worker, self._measures, self._right = own

    def _take_kept(self) -> Worker | None:
        """Return the worker of an earlier measurement of the same kind, if it has run the same cells."""
        worker, *ran = self._kept.pop(self._measures, (None,))
        if worker is not None and ran != [self._right, self.done]:
            worker.close()
            return None
        return worker

    def _keep_or_end(self) -> None:
        if self._measures and self._worker is not None:
            self._kept[self._measures], self._worker = (self._worker, self._right, [*self.done]), None
        self._end_worker()

    def _replace_exercises(self, worker: Worker) -> None:
        if self._right is None:
            return
        reply, _ = worker.ask("right", {"names": self._right[0], "text": self._right[1]})
        if "failure" in reply:
            raise Stopped("garbled", "The right versions of earlier exercises could not be used here.")


def _as_tensor(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
