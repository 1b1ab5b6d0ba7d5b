"""Values as they stand in a cell of a sheet."""

from typing import Any

from autograder.grading.gradebook.regrade_requests import Request

#: Characters with which a cell begins that a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(value: Any) -> Any:
    """Return formula-like text with an apostrophe prepended, the empty string for None, and other values unchanged."""
    if isinstance(value, str) and value.lstrip(" \n")[:1] in FORMULA:
        return "'" + value
    return "" if value is None else value


def number(points: float) -> str:
    """Return points with at most two digits after the point, the precision that platforms keep."""
    return f"{round(points, 2):g}" if round(points, 2) < 1e6 else f"{points:.2f}"


def request_text(one: Request) -> str:
    about = f" about {one.exercise}" if one.exercise else ""
    return f"request {one.number}{about}: {one.reason} – {one.answer or 'not yet answered'}"
