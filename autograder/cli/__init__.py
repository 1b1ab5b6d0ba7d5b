"""The command ``autograder``."""

from autograder.cli.main import main

__all__ = ["main"]
