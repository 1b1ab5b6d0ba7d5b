"""What a check says about itself: the exercise that it belongs to and what it is worth."""

import pytest


def exercise(name: str) -> pytest.MarkDecorator:
    """Mark a check as one of the exercise ``name``, the name of the function or class that the student writes."""
    return pytest.mark.exercise(name)


def points(value: float) -> pytest.MarkDecorator:
    """Say how many points a check is worth. Zero makes it advice: it is shown when it fails, and costs nothing."""
    return pytest.mark.points(value)


#: A check that measures time or memory. It is not run again on wrong answers to find out which of them fits.
measured = pytest.mark.measured
