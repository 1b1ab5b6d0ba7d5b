"""The converter's messages about a submission."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator

from filelock import Timeout
from sqlalchemy.exc import OperationalError

from autograder.grading.gradebook.state import PATIENCE
from autograder.grading.run.helpers import describe
from autograder.grading.run.outcome import GRADED, Outcome, readable


def reason(error: BaseException) -> str:
    if isinstance(error, OperationalError | Timeout):
        return f"the gradebook was in use by another program for {PATIENCE:g} s: close it ({type(error).__name__})"
    return describe(error)


def line(outcome: Outcome) -> str:
    if outcome.state != GRADED:
        return f"{readable(outcome.student)}: {outcome.state}: {outcome.reason}"
    notes = f"; please look: {'; '.join(outcome.notes)}" if outcome.notes else ""
    points = f"{outcome.earned:g} of {outcome.points:g} points in {outcome.seconds:.1f} s"
    return f"{readable(outcome.student)}: {points}{notes}"


@contextlib.contextmanager
def quiet(log: logging.Logger) -> Iterator[None]:
    """Suppress nbgrader's many log lines about one submission; warnings still appear if something goes wrong."""
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def until_free(write: Callable[[], None]) -> None:
    """Retry the write until no other program, such as formgrader, locks the database."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return write()
        except OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.5)
