"""Running code of our own that nobody has read: an edited answer may compute for hours."""

import contextlib
from collections.abc import Iterator

from autograder.judging.patience import patience

#: Seconds for one call.
SECONDS = 0.5


@contextlib.contextmanager
def careful() -> Iterator[None]:
    """Inside, each call has little time, where the system has a timer: it raises
    :class:`~autograder.judging.patience.TooLong`, which a student's answer shows as a failure.
    """
    with patience(SECONDS, SECONDS):
        yield
