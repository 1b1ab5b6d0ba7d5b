"""Time and memory limits: of student code during a notebook check, and of generated code.

The grader does not set these limits: the sandbox has its own.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

#: Seconds for the first call that does not end, and for each after it. Right answers need a fraction of a second.
FIRST, LATER = 60.0, 3.0


class CheckTimeout(BaseException):
    """Raised in the student's code when its time is up. An ``except Exception`` in that code does not catch it."""

    def __init__(self, seconds: float):
        super().__init__(f"stopped after {seconds:g} seconds")
        self.seconds = seconds


@dataclass
class _Patience:
    seconds: float
    later: float


_current: _Patience | None = None

#: The beginning of the file names of Python's own code for imports.
_IMPORTING = "<frozen importlib"


@contextlib.contextmanager
def check_timeout(first: float = FIRST, later: float = LATER) -> Iterator[None]:
    """Limit the time of each call of the student's code in the block, if the system has a timer for that."""
    global _current
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    before, _current = _current, _Patience(first, later) if usable else None
    try:
        yield
    finally:
        _current = before


@contextlib.contextmanager
def time_limited() -> Iterator[None]:
    """Raise :class:`CheckTimeout` in the block when its time is up, if there is a limit."""
    patience = _current
    # A call within a call has the time of the outer one.
    if patience is None or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    seconds, outer = patience.seconds, {*_stack(sys._getframe())}

    def stop(_: int, frame: FrameType | None) -> None:
        if any(
            stack_frame.f_code.co_filename.startswith(_IMPORTING)
            for stack_frame in _stack(frame)
            if stack_frame not in outer
        ):
            return  # a library whose import stops half-way is broken for whoever uses it in this process later
        patience.seconds = patience.later
        raise CheckTimeout(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again every second: a bare except may swallow the first
    try:
        yield
    finally:
        outer.clear()  # frames keep their variables alive
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


#: Seconds for one call, and bytes that may be asked for above what the process has.
SECONDS, MEMORY = 0.5, 2**30


@contextlib.contextmanager
def run_limited() -> Iterator[None]:
    """Limit time and memory of each call in the block, if the system supports it.

    Code beyond the limits gets a MemoryError, PyTorch's RuntimeError or :class:`~autograder.runtime.limits.CheckTimeout`.
    """
    with check_timeout(SECONDS, SECONDS), _limited_memory():
        yield


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    try:
        import resource

        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # no such limits, or no such file: Windows, macOS
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size + MEMORY
    unlimited = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most if soft == unlimited else min(soft, most), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
