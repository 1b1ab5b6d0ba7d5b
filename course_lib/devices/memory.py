"""Measure the peak memory of a function call."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.profiler import profile  # torch.profiler wraps it, and takes a second or more to set up

from course_lib.devices.choice import pick_device

MEMORY_EVENT = "[memory]"  # the profiler's name for one allocation (bytes above 0) or one release (below 0)


def peak_memory(fn: Callable[[], Any], device: str | torch.device | None = None) -> int:
    """Call `fn()` once and return the peak memory of tensors, in bytes above that before the call.

    Temporaries that are freed inside count, as does the result. Only tensors on `device` count; without `device`, those on the
    device with the higher peak. Memory outside torch (NumPy's, a matrix library's own scratch space) is not measured, nor on the
    CPU the release of memory allocated before.
    Raises ValueError for mps, where torch keeps no record of the peak.
    """
    if device is None:
        return _peak_on_both(fn) if torch.cuda.is_available() else _peak_on_cpu(fn)
    chosen = pick_device(device)
    if chosen.type == "cuda":
        return _peak_on_cuda(fn, chosen)
    if chosen.type == "cpu":
        return _peak_on_cpu(fn)
    raise ValueError(
        f"Expected a device of the kind cuda or cpu, got '{chosen}', where torch keeps no record of the peak. "
        'Put the tensors on the CPU and leave the argument out, or pass device="cpu".'
    )


def _peak_on_both(fn: Callable[[], Any]) -> int:
    on_cpu = 0

    def watched() -> None:
        nonlocal on_cpu
        on_cpu = _peak_on_cpu(fn)

    return max(_peak_on_cuda(watched, torch.device("cuda", torch.cuda.current_device())), on_cpu)


def _peak_on_cuda(fn: Callable[[], Any], device: torch.device) -> int:
    torch.cuda.synchronize(device)
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    fn()
    torch.cuda.synchronize(device)
    return max(0, torch.cuda.max_memory_allocated(device) - before)


def _peak_on_cpu(fn: Callable[[], Any]) -> int:
    # The profiler writes two lines to stderr when it starts and stops, which a notebook would show in red. It reads this setting
    # when it is first used.
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")
    with profile(profile_memory=True) as watcher:
        fn()
    results = watcher.kineto_results
    if results is None:
        raise RuntimeError(f"The profiler of torch {torch.__version__} returned no events, so the peak is not known.")
    # profile_memory reports the allocations of every device; only the CPU's belong here.
    ours = [event for event in results.events() if event.name() == MEMORY_EVENT and event.device_type().name == "CPU"]
    return highest_sum(event.nbytes() for event in sorted(ours, key=lambda event: event.start_ns()))


def highest_sum(changes: Iterable[int]) -> int:
    """Return the highest running sum of `changes`, starting from 0 (so never below 0)."""
    now = peak = 0
    for change in changes:
        now += change
        peak = max(peak, now)
    return peak
