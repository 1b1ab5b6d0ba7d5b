"""Outside: one submission being graded. Its worker is made anew, and its cells run again, whenever it had to be stopped."""

import ast
import base64
import binascii
import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.notebooks import without_magics
from autograder.sandbox import wire
from autograder.sandbox.box import Box, Stopped, Worker
from autograder.sandbox.requests import unpack_failure


class SetUpFailed(Exception):
    """A worker could not be set up for a submission, and has run nothing of it. A person has to look at its files."""


@dataclass
class CellResult:
    """What a cell gave: outputs in nbformat's form, and (name, message, traceback) of its error."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: tuple[str, str, str] | None = None


class Session:
    """Runs a submission's cells in a sandbox and asks it things. ``stops`` counts how often its process had to be ended."""

    def __init__(self, box: Box, forbid: tuple[str, ...] = (), files: Mapping[str, bytes] | None = None):
        self.box, self.forbid, self.files = box, forbid, dict(files or {})
        self.done: list[str] = []
        self.stops = 0
        self.begun = time.monotonic()
        self._worker: Worker | None = None
        self._workers: list[Worker] = []  # all that have run the submission's code, for the account of their time

    # ------------------------------------------------------------ cells

    def run_cell(self, text: str) -> CellResult:
        """Run a cell. One that stops the process is left out from then on."""
        try:
            reply, _ = self.worker().ask("run", {"text": text}, cpu=self.box.limits.cell_cpu)
        except Stopped as stopped:
            self._lost()
            return CellResult(error=("Stopped", str(stopped), f"Stopped: {stopped}"))
        if "failure" in reply:  # the student's code has broken the shell: nothing was run
            return CellResult(error=("Stopped", "The cell could not be run.", "Stopped: The cell could not be run."))
        self.done.append(text)
        return cell_result(reply)

    # ------------------------------------------------------------ workers

    def worker(self) -> Worker:
        """Return the worker, a fresh one with the cells run again where there is none. Raises Stopped when all is used up."""
        limits = self.box.limits
        if self.stops >= limits.stops:
            raise Stopped("often", "Stopped too often: this notebook is not run any more.")
        if self.used() > limits.total_cpu or time.monotonic() - self.begun > limits.total_wall:
            raise Stopped("total", "The time for the whole notebook is used up.")
        if self._worker is None:
            self._worker = self._with_cells_run()
        return self._worker

    def start(self, forbid: tuple[str, ...], files: Mapping[str, bytes]) -> Worker:
        """Return a fresh worker with limits, these files and nothing forbidden. Raises SetUpFailed when that is not possible."""
        worker = self.box.spawn()
        worker.deadline = self.begun + self.box.limits.total_wall
        packing = wire.Packing()
        content = {name: _as_tensor(data) for name, data in files.items()}
        header = {"forbid": list(forbid), "files": wire.pack(content, packing)}
        header |= {"threads": self.box.threads, "limits": self.box.limits.inside()}
        reply, unpacking = worker.ask("begin", header, packing)
        if "failure" in reply:  # it has no limits then, or more than the lesson allows
            worker.close()
            raise SetUpFailed(
                f"its files cannot be laid down in the sandbox: {unpack_failure(reply['failure'], unpacking).yours}"
            )
        return worker

    def _with_cells_run(self) -> Worker:
        """Return a fresh worker in which the cells so far have been run. A cell that stops it is dropped from ``done``."""
        cells: Sequence[str] = self.done
        while True:
            worker, text = self.start(self.forbid, self.files), ""
            self._workers.append(worker)
            try:
                for text in cells:
                    worker.ask("run", {"text": text}, cpu=self.box.limits.cell_cpu)
                return worker
            except Stopped:
                self.stops += 1
                cells = [cell for cell in cells if cell != text]
                self.done = [cell for cell in self.done if cell != text]
                if self.stops >= self.box.limits.stops:
                    raise

    def used(self) -> float:
        """Return the processor seconds that the submission has used so far, in all its workers."""
        return sum(worker.cpu() for worker in self._workers)

    def _lost(self) -> None:
        self._end_worker()
        self.stops += 1

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def close(self) -> None:
        """End the submission's processes and all that they have left behind."""
        for worker in self._workers:
            worker.close()
        self._worker = None

    # ------------------------------------------------------------ requests

    def ask(
        self, op: str, header: dict[str, Any], packing: wire.Packing | None = None, alone: bool = False
    ) -> tuple[dict[str, Any], wire.Unpacking]:
        """Ask the worker one thing. Raises Stopped, after which the next question goes to a fresh worker."""
        worker = self.worker()
        worker.process.kill_descendants()
        try:
            return worker.ask(op, header, packing, alone=alone)
        except Stopped:
            self._lost()
            raise

    @contextlib.contextmanager
    def with_right(self, names: Sequence[str], text: str) -> Iterator[None]:
        """Ask a second worker meanwhile, in which right versions of earlier exercises stand in place of the student's."""
        own, self._worker = self._worker, None
        try:
            self._worker = self._with_cells_run()
            reply, _ = self._worker.ask("right", {"names": list(names), "text": text})
            if "failure" in reply:
                raise Stopped("garbled", "The right versions of earlier exercises could not be used here.")
            yield
        finally:
            self._end_worker()
            self._worker = own


def _as_tensor(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def defined_names(text: str) -> dict[str, str]:
    """Return the source of every function, class and variable that a cell defines at its top level."""
    plain = without_magics(text)
    try:
        body = ast.parse(plain).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, str] = {}
    lines = plain.splitlines(keepends=True)
    for node in body:
        source = "".join(lines[node.lineno - 1 : node.end_lineno])
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found[node.name] = source
        elif isinstance(node, ast.Assign):
            found |= {target.id: source for target in node.targets if isinstance(target, ast.Name)}
    return found


def cell_result(reply: dict[str, Any]) -> CellResult:
    """Read what came for a cell; anything that is not as it should be is left out."""
    outputs = reply.get("outputs")
    kept = [clean for item in (outputs if isinstance(outputs, list) else [])[:60] if (clean := _clean(item))]
    error = reply.get("error")
    if not isinstance(error, dict):
        return CellResult(kept)
    name, message, trace = (readable(error.get(key, "")) for key in ("ename", "evalue", "traceback"))
    return CellResult(kept, (name[:100], message[:2000], trace))


def readable(text: Any) -> str:
    """Return text of bounded length that can be written as UTF-8: half a character becomes a question mark."""
    return str(text)[:30_000].encode("utf8", "replace").decode("utf8")


def _clean(item: Any) -> dict[str, Any] | None:
    """Return one output with only what is allowed in it: text, and a picture that really is a PNG file."""
    if not isinstance(item, dict):
        return None
    if item.get("output_type") == "stream" and item.get("name") in ("stdout", "stderr"):
        return {"output_type": "stream", "name": item["name"], "text": readable(item.get("text", ""))}
    data = item.get("data")
    if not isinstance(data, dict):
        return None
    kept = {}
    if isinstance(text := data.get("text/plain"), str):
        kept["text/plain"] = readable(text)
    if isinstance(picture := data.get("image/png"), str) and _is_png(picture):
        kept["image/png"] = "".join(picture.split())
    if not kept:
        return None
    if item.get("output_type") == "execute_result":
        return {"output_type": "execute_result", "data": kept, "metadata": {}, "execution_count": None}
    return {"output_type": "display_data", "data": kept, "metadata": {}}


def _is_png(text: str) -> bool:
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) < 4_000_000
