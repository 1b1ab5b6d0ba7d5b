"""The notebook's device: choose it, use it well, and measure on it."""

from course_lib.devices.choice import pick_device, require_gpu
from course_lib.devices.memory import peak_memory
from course_lib.devices.precision import autocast, autocast_dtype
from course_lib.devices.report import describe
from course_lib.devices.threads import set_threads
from course_lib.devices.timing import Comparison, Timing, compare_times, least_time, time_call

__all__ = [
    "Comparison",
    "Timing",
    "autocast",
    "autocast_dtype",
    "compare_times",
    "describe",
    "least_time",
    "peak_memory",
    "pick_device",
    "require_gpu",
    "set_threads",
    "time_call",
]
