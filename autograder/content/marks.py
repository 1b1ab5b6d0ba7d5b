"""The marks of a check: its exercise and its points."""

from collections.abc import Callable
from typing import Any

import pytest


def exercise(name: str) -> pytest.MarkDecorator:
    """Mark a check as part of the exercise ``name``, which is the name of the function or class that the student writes."""
    return pytest.mark.exercise(name)


def points(value: float) -> pytest.MarkDecorator:
    """Set the points of a check. Zero makes it advice: it is shown when it fails, and costs nothing."""
    return pytest.mark.points(value)


#: Marks a check that measures time or memory. The diagnosis does not run it again on known wrong answers.
measured = pytest.mark.measured


def mark_value(check: Callable[..., Any], name: str, default: Any = None) -> Any:
    """Return the first argument of the check's mark ``name`` (True for a mark without arguments), or ``default``."""
    marks = (mark for mark in getattr(check, "pytestmark", ()) if mark.name == name)
    return next((mark.args[0] if mark.args else True for mark in marks), default)
