"""Set the number of threads that torch uses on the CPU."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from course_lib.devices.processor import usable_cores


def set_threads() -> int:
    """Let torch use as many threads as this process may use cores, and return that number.

    OMP_NUM_THREADS takes precedence if it is a positive number.
    """
    # "4,2" is allowed: threads for each nested level.
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    threads = int(wanted) if wanted.isdecimal() and int(wanted) > 0 else usable_cores()
    torch.set_num_threads(threads)
    return threads


#: A training step of a model with fewer parameters is a chain of small operations. Two threads then wait for each other
#: for longer than they compute: the steps of the lessons take 1.0 to 2.1 times as long with two as with one. Beside four busy
#: programs the difference is larger: ten steps of a model like lesson 11's took 0.2 s of processor time with one thread, and
#: 8.4 s (5 s and 137 s on the clock) with two that spin while they wait. `make bench` measures it (authoring/bench.py).
SMALL = 300_000


@contextmanager
def threads_for(parameters: int, device: torch.device) -> Iterator[None]:
    """Use one thread in the block if a model with this many parameters is small and on the CPU; restore the number afterwards."""
    # A number, not the parameters themselves: the shape checker in the tests inspects a random element of a list, which would
    # draw from the generator that a resumed training has just restored.
    before = torch.get_num_threads()
    small = device.type == "cpu" and parameters < SMALL
    if small:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if small:
            torch.set_num_threads(before)
