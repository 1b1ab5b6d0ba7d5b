"""How many threads torch uses on the CPU."""

import os

import torch

from course_lib.devices.processor import usable_cores


def set_threads() -> int:
    """Let torch use as many threads as this process may use cores, and return that number.

    OMP_NUM_THREADS, if it is set to a positive number, is respected: whoever set it meant it.
    """
    wanted = (
        os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    )  # "4,2" is allowed: threads for each nested level
    threads = int(wanted) if wanted.isdecimal() and int(wanted) > 0 else usable_cores()
    torch.set_num_threads(threads)
    return threads
