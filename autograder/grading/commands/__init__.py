"""A teacher's commands for a class, as parts of the command ``autograder``. Each imports what it needs when it runs."""

from typing import Any

from autograder.grading.commands import moving


def add_all(commands: Any) -> None:
    """Add a teacher's commands to the parser of ``autograder``."""
    for part in (moving,):
        part.add_all(commands)
