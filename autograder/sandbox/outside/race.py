"""A student's function timed against the reference, each in its own process."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch

from autograder.checks.measured_result import same_result
from autograder.runtime import measure
from autograder.sandbox.inside import encoding, requests
from autograder.sandbox.outside.process import Process
from autograder.sandbox.outside.worker import Stopped, Worker


def arguments(name: str, args: tuple, kwargs: Mapping[str, Any], packing: encoding.Packing) -> dict[str, Any]:
    packed = encoding.pack(args, packing, strided=True)
    return {"name": name, "args": packed, "kwargs": encoding.pack(dict(kwargs), packing, strided=True)}


class _Session(Protocol):
    """The session whose worker is timed."""

    def worker(self) -> Worker: ...

    def ask(
        self, op: str, header: dict[str, Any], packing: encoding.Packing | None = None, alone: bool = False
    ) -> Any: ...


def redrawn(args: tuple) -> tuple:
    """Return arguments of the same shapes with other numbers, drawn by chance: no result that was kept fits them."""
    generator = torch.Generator()
    generator.seed()

    def other(value: Any) -> Any:
        numbers = isinstance(value, torch.Tensor) and value.is_floating_point()
        return torch.randn(value.shape, generator=generator, dtype=value.dtype) if numbers else value

    return tuple(map(other, args))


def parts_ratio(
    session: _Session,
    name: str,
    inputs: tuple,
    part: Mapping[str, Any],
    whole: Mapping[str, Any],
    thresholds: Sequence[float],
) -> measure.Ratio:
    """Return the ratio of the processor times of two calls of one function, with the keywords ``part`` and ``whole``.

    The numbers are others in each round. Whether the results are right is for other checks to say.
    """

    def clocked(kwargs: Mapping[str, Any]) -> Callable[[tuple], float]:
        return lambda fresh: _timed(session, session.worker(), name, fresh, kwargs)[0]

    return measure.race(clocked(part), clocked(whole), lambda: redrawn(inputs), thresholds, rounds=(3, 25))


def must_live(process: Process) -> None:
    """Raise Stopped if a process has ended: what the kernel told of it after its answer is then nothing."""
    if process.ended():
        raise Stopped("ended", "The process ended in the middle of the call.")


def _timed(
    asked: "_Session | Worker", worker: Worker, name: str, inputs: tuple, kwargs: Mapping[str, Any]
) -> tuple[float, Any]:
    """Return the worker's processor seconds for one call, as the kernel counts them, and the result."""
    packing = encoding.Packing()
    header = arguments(name, inputs, kwargs, packing)
    start = worker.process.cpu()
    reply, unpacking = asked.ask("call", header, packing, alone=True)
    spent = worker.process.cpu() - start
    must_live(worker.process)
    if "failure" in reply:
        raise requests.unpack_failure(reply["failure"], unpacking)
    return spent, unpacking.value(reply.get("value"))


class Race:
    """A submission's worker and one that runs only the reference, timed in turn on the same inputs and compared."""

    def __init__(self, session: _Session, rival: Worker, name: str, kwargs: Mapping[str, Any]):
        self.session, self.rival, self.name, self.kwargs = session, rival, name, kwargs
        self.results: dict[bool, Any] = {}

    def run(self, fresh: Callable[[], tuple], thresholds: Sequence[float], rounds: tuple[int, int]) -> measure.Ratio:
        carrying = min(self._seconds(True, "echo", fresh()) for _ in range(3))

        def seconds(of_rival: bool) -> Callable[[tuple], float]:
            def timed(inputs: tuple) -> float:
                spent = self._seconds(of_rival, self.name, inputs)
                self._compare()
                return max(spent - carrying, 1e-6)

            return timed

        self.results.clear()
        return measure.race(seconds(False), seconds(True), fresh, thresholds, rounds)

    def _seconds(self, of_rival: bool, name: str, inputs: tuple) -> float:
        """Return the processor seconds of one call, and keep its result."""
        worker = self.rival if of_rival else self.session.worker()
        spent, self.results[of_rival] = _timed(worker if of_rival else self.session, worker, name, inputs, self.kwargs)
        return spent

    def _compare(self) -> None:
        """Compare the results once both have answered, in every round: a fast wrong answer must not pass."""
        if len(self.results) == 2:
            same_result(self.results[False], self.results[True], "while it was timed")
            self.results.clear()
