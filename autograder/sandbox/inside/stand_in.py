"""Inside: stands in for ``judging.in_notebook`` and for the lessons. Nothing is checked here; the checks run outside."""

import sys
from types import ModuleType


def check(exercise: str, seed: int | None = None) -> float:
    """Say that the check runs elsewhere. The value plays no part in the grade."""
    print(f"{exercise} is checked by the grader, outside this notebook.")
    return 0.0


def install(package: str) -> None:
    """Make ``from PACKAGE import check`` work for a lesson's package, of which nothing else is here."""
    parts = package.split(".")
    for last in range(1, len(parts) + 1):
        name = ".".join(parts[:last])
        if name != "autograder" and name not in sys.modules:
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = []  # what has a path is a package
    vars(sys.modules[package])["check"] = check
