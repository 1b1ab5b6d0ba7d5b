"""The console on which commands print their tables."""

import os
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.grading.run.outcome import readable


def console() -> Console:
    """Return a console as wide as the terminal, or of a fixed width where the output goes to a file."""
    return Console(width=None if os.isatty(1) else 110)


def plain(text: str) -> Text:
    """Return a student's text for display, without interpreting markup or control characters."""
    return Text("\n".join(readable(line) for line in text.split("\n")))


def print_table(
    console: Console, title: str, rows: Sequence[tuple[str, ...]], columns: Sequence[str] = ("student", "state", "why")
) -> None:
    """Print rows of students' texts as a table; nothing if there are none."""
    if not rows:
        return
    table = Table(title=title)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    console.print(table)
