"""Time and operation counts, as ratios that do not depend on the load of the machine."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.autograd.profiler import profile  # torch.profiler wraps it, and takes a second to import
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

Inputs = tuple[Any, ...]
Clock = Callable[[], float]

#: The multiple of the largest threshold from which one reading is enough, even the first.
_HOPELESS = 7
_LONG = 5.0  # seconds


@dataclass(frozen=True)
class Ratio:
    """The smallest time of the candidate divided by that of the reference, with an interval for its uncertainty.

    Other load on a machine can only add time, so the smallest of several readings is nearest to the time that a computation
    needs; a mean or a median depends on the load. ``low`` and ``high`` use the third smallest reading on one side instead.
    """

    value: float
    low: float
    high: float
    rounds: int
    hopeless: bool = False  # so far above all thresholds that one reading was enough

    def __str__(self) -> str:
        return f"{self.value:.2f} (between {self.low:.2f} and {self.high:.2f}, {self.rounds} rounds)"


@contextlib.contextmanager
def threads(number: int) -> Iterator[None]:
    """Limit PyTorch to this many threads. On small tensors, more only wait for each other, above all on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def time_ratio(
    candidate: Callable[..., Any],
    reference: Callable[..., Any],
    fresh: Callable[[], Inputs],
    thresholds: Sequence[float],
    rounds: tuple[int, int] = (5, 40),
    clock: Clock = time.process_time,
) -> Ratio:
    """Return time(candidate) / time(reference), each round on fresh inputs and in alternating order.

    The default clock counts the processor time of this process. With one thread it is independent of the load of the machine.
    Elapsed time is not: many short parallel steps suffer far more from it than one long step (on two busy cores, a right answer
    measured 19 times instead of 1.3). For the rounds, see :func:`compare_time`.
    """

    def clocked(function: Callable[..., Any]) -> Callable[[Inputs], float]:
        def seconds(inputs: Inputs) -> float:
            start = clock()
            function(*inputs)
            return clock() - start

        return seconds

    return compare_time(clocked(candidate), clocked(reference), fresh, thresholds, rounds)


def compare_time(
    candidate: Callable[[Inputs], float],
    reference: Callable[[Inputs], float],
    fresh: Callable[[], Inputs],
    thresholds: Sequence[float],
    rounds: tuple[int, int] = (5, 40),
) -> Ratio:
    """Return the time ratio of two callables that run on the inputs and return their times in seconds.

    The first round warms both up (memory pools, thread pools, the first use of a kernel) and counts only if it is hopeless: if
    so, and if it was short, the second must be hopeless too, since a first call may import something. Rounds are added, up to
    ``rounds[1]``, while the interval contains one of the ``thresholds``. If it lies below all of them, ``rounds[0]`` readings are
    enough. A verdict against the candidate takes at least eight, or three if it is far above them.
    """
    for _ in range(2):
        first = _one_round(candidate, reference, fresh(), swap=False)
        hopeless = first[0] > _HOPELESS * max(thresholds) * first[1]
        if not hopeless or first[0] > _LONG:
            break
    if hopeless:
        return replace(_summary([first]), hopeless=True)
    readings: list[tuple[float, float]] = []
    while True:
        readings.append(_one_round(candidate, reference, fresh(), swap=len(readings) % 2 == 1))
        ratio = _summary(readings)
        good = len(readings) >= rounds[0] and ratio.high <= min(thresholds)
        clear = len(readings) >= max(8, rounds[0]) and not any(ratio.low < t < ratio.high for t in thresholds)
        far_above = len(readings) >= 3 and ratio.low > 4 * max(thresholds)  # more rounds cannot change the verdict
        if good or clear or far_above or len(readings) >= rounds[1]:
            return ratio


def _one_round(
    candidate: Callable[[Inputs], float], reference: Callable[[Inputs], float], inputs: Inputs, swap: bool
) -> tuple[float, float]:
    """Return the seconds of the candidate and of the reference on the same inputs."""
    order = (reference, candidate) if swap else (candidate, reference)
    seconds = {function: function(inputs) for function in order}
    return seconds[candidate], max(seconds[reference], 1e-9)


def _summary(readings: Sequence[tuple[float, float]]) -> Ratio:
    candidate, reference = (sorted(seconds) for seconds in zip(*readings, strict=True))
    third = min(2, len(readings) - 1)
    return Ratio(
        candidate[0] / reference[0], candidate[0] / reference[third], candidate[third] / reference[0], len(readings)
    )


def operators(function: Callable[..., Any], *args: Any, **kwargs: Any) -> set[str]:
    """Call the function and return the names of all of PyTorch's operators that ran, including those below Python."""
    # The profiler logs to stderr, which a notebook shows in red. It reads this variable once, on first use.
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")
    with profile() as record:
        function(*args, **kwargs)
    if record.kineto_results is None:
        raise RuntimeError(f"The profiler of torch {torch.__version__} returned no events.")
    # The raw events: the objects that the profiler makes of them take gigabytes when an answer loops over single rows.
    return {event.name() for event in record.kineto_results.events()}


class _Work(TorchDispatchMode):
    """Counts operations while they run, so that it needs no memory for them."""

    operations = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if (product := flop_registry.get(func.overloadpacket)) is not None:
            self.operations += product(*args, **(kwargs or {}), out_val=out)
        elif not func.is_view:
            self.operations += sum(x.numel() for x in tree_leaves(out) if isinstance(x, Tensor))
        return out


def count_operations(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Return the number of operations of one call, which does not depend on the machine.

    A matrix product counts two per multiplied pair of numbers, a view none, and any other operator one per number of its result.
    """
    with _Work() as counter:
        function(*args, **kwargs)
    return counter.operations
