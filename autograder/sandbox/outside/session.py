"""Outside: one submission, in workers of several kinds. After each stop, its cells run again in a new worker.

Plain data may pass between workers with different libraries: a cell may read the size of a picture from scikit-learn's digits,
and an exercise that uses it needs only the number. Data computed before a request cannot answer the request.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from autograder.runtime.blocked.source import searchable
from autograder.runtime.student import Budget
from autograder.sandbox.inside import protocol
from autograder.sandbox.inside.protocol import SetUp, unpack_failure
from autograder.sandbox.inside.values import MOST_BYTES
from autograder.sandbox.outside.cell_result import CellResult, cell_result
from autograder.sandbox.outside.imports import imports_withheld, lacks_withheld
from autograder.sandbox.outside.sandbox import Sandbox, SetUpFailed
from autograder.sandbox.outside.worker import Stopped, Worker


def carry(source: Worker, target: Worker) -> set[str]:
    """Copy the plain data of ``source`` to ``target`` under names that it lacks. Returns the names that were sent.

    Raises Stopped if either does not answer.
    """
    reply, unpacking = source.ask("values", {})
    unpacking.bound(2 * MOST_BYTES, longest=MOST_BYTES)
    try:
        data = unpacking.value(reply.get("values"))
    except protocol.BadMessage:
        data = None
    values = {name: value for name, value in data.items() if name.isidentifier()} if isinstance(data, dict) else {}
    if values:
        packing = protocol.Packing()
        target.ask("give", {"values": protocol.pack(values, packing)}, packing)
    return {*values}


#: Seconds inside the sandbox as which a second of this process counts in the search for causes.
_OURS = 6


@dataclass(frozen=True)
class Kind:
    """The kind of a worker: the functions that it may not call, its measurement, and its right versions of earlier exercises.

    ``libraries`` are those that it may import; None for all.
    """

    forbid: tuple[str, ...]
    libraries: tuple[str, ...] | None = None
    measures: str = ""
    names: tuple[str, ...] = ()
    right: str = ""


@dataclass
class Open:
    """A worker and the cells that it has run."""

    worker: Worker
    ran: list[tuple[str, bool]] = field(default_factory=list)


def started(box: Sandbox, settings: SetUp, files: Mapping[str, bytes], deadline: float, may_wait: float) -> Worker:
    """Return a worker with these settings and files. Raises SetUpFailed if the files could not be written."""
    worker = box.spawn(settings)
    worker.deadline, worker.may_wait = deadline, may_wait
    packing = protocol.Packing()
    content = {name: _as_tensor(data) for name, data in files.items()}
    reply, unpacking = worker.ask("files", {"files": protocol.pack(content, packing)}, packing)
    if "failure" in reply:
        worker.close()
        reason = unpack_failure(reply["failure"], unpacking).yours
        raise SetUpFailed(f"its files could not be written into the sandbox: {reason}")
    return worker


def _as_tensor(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


#: How many times ``idle`` all of a submission's workers may wait together.
_WAITS = 3


class Session:
    """Runs a submission's cells in a sandbox and sends it requests. ``stops`` is the number of times its process had to be ended.

    Requests about an exercise go to a worker that can import its ``libraries`` and no other. The cells run there, too, unless one
    of them imports more: then they run once in another worker with all libraries, which provides their outputs.
    """

    def __init__(
        self,
        box: Sandbox,
        forbid: tuple[str, ...] = (),
        files: Mapping[str, bytes] | None = None,
        lesson: str = "",
        libraries: tuple[str, ...] | None = None,
    ):
        self.box, self.files, self.lesson, self.author = box, dict(files or {}), lesson, ""
        self.modules = searchable(self.files)
        self.done: list[tuple[str, bool]] = []  # the cells, each with whether it ran to its end
        self.stops = 0
        self.begun = time.monotonic()
        # Of the worker to which requests go, and of that for the cells.
        self._kind = self._kind_of_cells = Kind(forbid, libraries)
        self.carried: set[str] = set()  # names of plain data that an exercise has from another worker
        self._libraries = libraries
        self._open: dict[Kind, Open] = {}
        self._search: Budget | None = None
        self._workers: list[Worker] = []  # all that have run the submission's code, to sum their time

    def run_cell(self, text: str) -> CellResult:
        """Run a cell. A cell that stops the process is skipped from then on."""
        self.look_ahead([text])
        result = self._run(text)
        if self._kind.libraries is not None and lacks_withheld(result.error, self._kind.libraries):
            self._see_all()  # it was not to be seen that the cell, or a library that it uses, would import this
            del self.done[-1:]
            result = self._run(text)
        return result

    def look_ahead(self, texts: Iterable[str]) -> None:
        """If one of these cells imports more than exercises may, run them all in a worker with every installed library."""
        if any(imports_withheld(text, self._kind.libraries, self.modules.get) for text in texts):
            self._see_all()

    def _see_all(self) -> None:
        self._end_worker()
        self._kind = self._kind_of_cells = replace(self._kind, libraries=None)

    def _run(self, text: str) -> CellResult:
        try:
            reply, _ = self.worker().ask("run", {"text": text}, cpu=self.box.limits.cell_cpu)
        except Stopped as stopped:
            self._lost()
            return CellResult(error=("Stopped", str(stopped), f"Stopped: {stopped}"))
        if "failure" in reply:  # the student's code has broken the shell: nothing ran
            return CellResult(error=("Stopped", "The cell could not be run.", "Stopped: The cell could not be run."))
        result = cell_result(reply)
        self.done.append((text, result.error is None))
        self._open[self._kind].ran.append(self.done[-1])
        return result

    def worker(self) -> Worker:
        """Return a worker that has run all cells, a fresh one if necessary. Raises Stopped if the limits are used up."""
        limits = self.box.limits
        if self.stops >= limits.stops:
            raise Stopped("often", "Stopped: too many timeouts in this notebook.")
        if self.used() > limits.total_cpu or time.monotonic() - self.begun > limits.total_wall:
            raise Stopped("total", "The time for the whole notebook is used up.")
        self._make_room()
        open_worker = self._open.get(self._kind)
        return open_worker.worker if open_worker and open_worker.ran == self.done else self._with_cells_run()

    def _make_room(self) -> None:
        """End other workers, the one for the cells last, while all exceed the memory of one. They restart when needed."""
        others = sorted(
            (kind for kind in self._open if kind != self._kind), key=lambda kind: kind == self._kind_of_cells
        )
        for kind in others:
            if sum(open_worker.worker.held for open_worker in self._open.values()) > self.box.limits.memory:
                self._open.pop(kind).worker.close()

    def start(self, forbid: tuple[str, ...], files: Mapping[str, bytes], measures: str = "") -> Worker:
        """Return a worker with these files, and with the functions in ``forbid`` out of reach. Raises SetUpFailed."""
        box, limits, libraries = self.box, self.box.limits, self._kind.libraries
        settings = SetUp(forbid, self.lesson, box.threads, limits.inside(), measures, self.author, libraries)
        waited = sum(worker.waited for worker in self._workers)
        return started(box, settings, files, self.begun + limits.total_wall, _WAITS * limits.idle - waited)

    def _with_cells_run(self) -> Worker:
        """Return a worker that has run the cells so far. A cell that stops it is dropped from ``done``."""
        fewer = self._kind_of_cells.libraries is None and self._kind.libraries is not None
        while True:
            open_worker, text = self._reusable() or self._fresh(), ""
            try:
                for text, ran_to_end in self.done[len(open_worker.ran) :]:
                    request = {"text": text, "again": True, "whole": ran_to_end, "fewer": fewer}
                    open_worker.worker.ask("run", request, cpu=self.box.limits.cell_cpu)
                    open_worker.ran.append((text, ran_to_end))
            except Stopped:
                self._end_worker()
                self.stops += 1
                self.done = [cell for cell in self.done if cell[0] != text]
                if self.stops >= self.box.limits.stops:
                    raise
            else:
                self._replace_exercises(open_worker.worker)
                if (for_cells := self._open.get(self._kind_of_cells)) and fewer:
                    self.carried |= carry(for_cells.worker, open_worker.worker)
                return open_worker.worker

    def _reusable(self) -> Open | None:
        """Return the open worker if it lacks only later cells. One that measures or holds right versions is not extended."""
        open_worker, kind = self._open.get(self._kind), self._kind
        missed = not open_worker or kind.measures or kind.names or open_worker.ran != self.done[: len(open_worker.ran)]
        return None if missed else open_worker

    def _fresh(self) -> Open:
        self._end_worker()
        worker = self.start(self._kind.forbid, self.files, self._kind.measures)
        self._workers.append(worker)
        self._open[self._kind] = open_worker = Open(worker)
        return open_worker

    def _replace_exercises(self, worker: Worker) -> None:
        if not self._kind.names:
            return
        reply, _ = worker.ask("right", {"names": self._kind.names, "text": self._kind.right})
        if "failure" in reply:
            raise Stopped("garbled", "The right versions of earlier exercises could not be used here.")

    def used(self) -> float:
        """Return the processor seconds that all workers of the submission have used so far."""
        return sum(worker.cpu() for worker in self._workers)

    def search_budget(self) -> Budget:
        """Return the time limit for all searches for causes together, here and inside, counted from the first call.

        A second in this process counts as several, because a submission may send messages that are slow to read.
        """
        if self._search is None:
            used_inside, used_here = self.used(), time.process_time()

            def spent() -> float:
                return max(self.used() - used_inside, _OURS * (time.process_time() - used_here))

            self._search = Budget(self.box.limits.search_cpu, spent)
        return self._search

    def _lost(self) -> None:
        self._end_worker()
        self.stops += 1

    def _end_worker(self) -> None:
        if self._kind in self._open:
            self._open.pop(self._kind).worker.close()

    def close(self) -> None:
        """End the submission's processes, including any that they have left behind."""
        for worker in self._workers:
            worker.close()
        self._open.clear()

    def ask(
        self, op: str, header: dict[str, Any], packing: protocol.Packing | None = None, alone: bool = False
    ) -> tuple[dict[str, Any], protocol.Unpacking]:
        """Send one request to the worker. Raises Stopped; the next request then goes to a fresh worker."""
        try:
            return self.worker().ask(op, header, packing, alone=alone)
        except Stopped:
            self._lost()
            raise

    @property
    def replaced(self) -> tuple[str, ...]:
        """The exercises that are replaced by right versions at the moment."""
        return self._kind.names

    @contextmanager
    def with_references(self, names: Sequence[str], text: str) -> Iterator[None]:
        """Redirect requests to a worker in which right versions replace the student's earlier exercises."""
        with self._another(replace(self._kind, libraries=self._libraries, names=tuple(names), right=text)):
            try:
                self.worker()
                yield
            finally:
                for kind in [kind for kind in self._open if kind.names]:
                    self._open.pop(kind).worker.close()

    def measuring(self, quantity: str) -> AbstractContextManager[None]:
        """Redirect requests to a worker that measures "time" or "memory", and cannot have another process."""
        return self._another(replace(self._kind, measures=quantity))

    def forbidding(self, forbid: tuple[str, ...], libraries: tuple[str, ...] | None) -> AbstractContextManager[None]:
        """Redirect requests to a worker for an exercise, with these functions out of reach and only these libraries."""
        return self._another(replace(self._kind, forbid=forbid, libraries=libraries))

    @contextmanager
    def _another(self, kind: Kind) -> Iterator[None]:
        """Redirect requests to a worker of this kind. It is kept for later ones, until other cells have run."""
        previous, self._kind = self._kind, kind
        try:
            yield
        finally:
            self._kind = previous
