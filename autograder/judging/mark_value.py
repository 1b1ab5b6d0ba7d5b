"""What a mark of a check says. Needs no pytest, which takes a while to import."""

from collections.abc import Callable
from typing import Any


def mark_value(check: Callable[..., Any], name: str, default: Any = None) -> Any:
    """Return the first argument of the check's mark ``name`` (True for a mark without arguments), or ``default``."""
    for mark in getattr(check, "pytestmark", ()):
        if mark.name == name:
            return mark.args[0] if mark.args else True
    return default
