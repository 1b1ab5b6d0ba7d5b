"""The converter's messages about a submission."""

import contextlib
import logging
from collections.abc import Iterator

from filelock import Timeout
from sqlalchemy.exc import OperationalError

from autograder.grading.helpers import describe
from autograder.grading.outcome import GRADED, Outcome, readable

#: Seconds to wait for a gradebook that another program has locked.
PATIENCE = 60.0


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
