"""Timing that is also right on a GPU, where a call returns before the work is done."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from course_lib.tables import Table


def synchronize() -> None:
    """Wait until the GPU, if this process uses one, has finished its work."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    elif torch.backends.mps.is_available():
        torch.mps.synchronize()


@dataclass(frozen=True)
class Timing:
    """All readings of one function, in seconds, in the order in which they were taken."""

    readings: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle reading, in seconds."""
        return statistics.median(self.readings)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The lower and the upper quartile, in seconds: half of the readings lie between them."""
        if len(self.readings) == 1:
            return self.readings[0], self.readings[0]
        lower, _, upper = statistics.quantiles(self.readings, n=4, method="inclusive")
        return lower, upper

    def __str__(self) -> str:
        lower, upper = self.quartiles
        spread = f"quartiles {duration(lower)} to {duration(upper)}"
        return f"{duration(self.median)} ({spread}, number of readings: {len(self.readings)})"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Comparison:
    """The timings of several functions, taken in turns; ratios are medians divided by the first function's median."""

    timings: dict[str, Timing]

    @property
    def medians(self) -> dict[str, float]:
        """The median of each function, in seconds."""
        return {name: timing.median for name, timing in self.timings.items()}

    @property
    def ratios(self) -> dict[str, float]:
        """The median of each function divided by that of the first: 2.0 means that it takes twice as long."""
        first = next(iter(self.medians.values()))
        return {name: median / first for name, median in self.medians.items()}

    def table(self) -> Table:
        """Return a table with one row for each function."""
        rows = tuple(
            (name, duration(timing.median), " to ".join(map(duration, timing.quartiles)), f"{self.ratios[name]:.2f}")
            for name, timing in self.timings.items()
        )
        count = len(next(iter(self.timings.values())).readings)
        header = ("", "median", "quartiles", f"times {next(iter(self.timings))}")
        return Table(f"Time of one call, {count} readings each, taken in turns", rows, header, numeric=True)

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def time_call(fn: Callable[..., Any], *args: Any, repeats: int = 20, warmup: int = 3) -> Timing:
    """Call `fn(*args)` `repeats` times and return the time of each call until its result is available.

    The first `warmup` calls are not counted: they pay for memory, caches and, on a GPU, for choosing kernels.
    Raises ValueError if `repeats` is below 1 or `warmup` below 0.
    """
    _check_counts(repeats, warmup)
    for _ in range(warmup):
        fn(*args)
    return Timing(tuple(_one_reading(fn, *args) for _ in range(repeats)))


def compare_times(candidates: Mapping[str, Callable[[], Any]], repeats: int = 10, warmup: int = 2) -> Comparison:
    """Time the functions in `candidates` (name to function without arguments) in turns, and return medians and ratios.

    In turns, so that a temporary slowdown of the machine affects all of them and hardly the ratios. Every other round runs
    backwards, so that no function always follows the same neighbour. Raises ValueError without candidates.
    """
    _check_counts(repeats, warmup)
    if not candidates:
        raise ValueError('Expected at least one function to time, as in {"mine": lambda: f(x)}, got none.')
    for fn in list(candidates.values()) * warmup:
        fn()
    readings: dict[str, list[float]] = {name: [] for name in candidates}
    for turn in range(repeats):
        for name in list(candidates)[:: 1 if turn % 2 == 0 else -1]:
            readings[name].append(_one_reading(candidates[name]))
    return Comparison({name: Timing(tuple(seconds)) for name, seconds in readings.items()})


def least_time(fn: Callable[..., Any], *args: Any, repeats: int = 5, warmup: int = 1) -> float:
    """Return the minimum time in seconds of `repeats` calls of `fn(*args)`, for curves of time over a size.

    On the CPU: processor time, with one thread, independent of how busy the machine is; other programs only ever add to it, so
    that the smallest reading is nearest to the cost of the computation. On a GPU: the time until the result is available.
    Raises ValueError if `repeats` is below 1 or `warmup` below 0.
    """
    _check_counts(repeats, warmup)
    on_gpu = (torch.cuda.is_available() and torch.cuda.is_initialized()) or torch.backends.mps.is_available()
    clock = time.perf_counter if on_gpu else time.process_time
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for _ in range(warmup):
            fn(*args)
        return min(_one_reading(fn, *args, clock=clock) for _ in range(repeats))
    finally:
        torch.set_num_threads(before)


def _one_reading(fn: Callable[..., Any], *args: Any, clock: Callable[[], float] = time.perf_counter) -> float:
    synchronize()
    start = clock()
    fn(*args)
    synchronize()
    return clock() - start


def _check_counts(repeats: int, warmup: int) -> None:
    if repeats < 1 or warmup < 0:
        raise ValueError(
            f"Expected repeats of at least 1 and warmup of at least 0, got repeats={repeats} and warmup={warmup}."
        )


def duration(seconds: float) -> str:
    """Return a time as text with three digits and the unit that suits it."""
    units = ((1.0, "s"), (1e3, "ms"), (1e6, "µs"))
    factor, unit = next((pair for pair in units if seconds * pair[0] >= 0.9995), units[-1])
    value = seconds * factor
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
