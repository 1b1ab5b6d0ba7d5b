"""Inside: a replacement for ``autograder.notebook.api`` and the lessons. The checks run outside, none here."""

import sys
from types import ModuleType


def check(exercise: str, seed: int | None = None) -> float:
    """Print that the check runs elsewhere. The return value does not affect the grade."""
    print(f"{exercise} is checked by the grader, outside this notebook.")
    return 0.0


def progress(assignment: str = "", lessons: str | None = None) -> None:
    """Show nothing: the panel is for the student's own notebook."""


def hand_in(assignment: str = "", lessons: str | None = None) -> None:
    """Do nothing: the notebook has been handed in already."""


def practice(exercise: str, letter: str = "", *, seed: int | None = None) -> None:
    """Ask nothing: practice is for the student's own notebook."""


def model_answer(exercise: str) -> None:
    """Show nothing: a right answer is for the student's own notebook, and not in the sandbox."""


def install(package: str) -> None:
    """Make ``from PACKAGE import check`` work for a lesson's package, which is not in the sandbox."""
    parts = package.split(".")
    for last in range(1, len(parts) + 1):
        name = ".".join(parts[:last])
        if name != "autograder" and name not in sys.modules:
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = []  # a module with a path is a package
    vars(sys.modules[package])["check"] = check
