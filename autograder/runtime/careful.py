"""Running code of our own that nobody has read: an edited answer may compute for hours or ask for all memory."""

import contextlib
from collections.abc import Iterator

from autograder.runtime.patience import patience

#: Seconds for one call, and bytes that may be asked for above what the process has.
SECONDS, MEMORY = 0.5, 2**30


@contextlib.contextmanager
def careful() -> Iterator[None]:
    """Inside, each call has little time and little memory, where the system can limit them.

    What asks for more raises MemoryError, PyTorch's RuntimeError or :class:`~autograder.runtime.patience.TooLong`.
    """
    with patience(SECONDS, SECONDS), _limited_memory():
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
