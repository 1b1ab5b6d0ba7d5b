"""The console on which commands print their tables."""

import os

from rich.console import Console


def console() -> Console:
    """Return a console as wide as the terminal, or of a fixed width where the output goes to a file."""
    return Console(width=None if os.isatty(1) else 110)
