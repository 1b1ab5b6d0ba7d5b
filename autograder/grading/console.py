"""The console for tables and for progress with an estimate of the remaining time."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

_LONGEST = 400


def readable(text: str) -> str:
    """Return text on one line and without control characters, safe for a terminal even if a student wrote it."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.encode("utf8", "replace").decode("utf8").split())[:_LONGEST]


def readable_lines(text: str) -> list[str]:
    """Return the lines of a report without control characters, since it quotes results of the student's code."""
    printable = ("".join(letter if letter.isprintable() else " " for letter in line) for line in text.split("\n"))
    return [line.encode("utf8", "replace").decode("utf8") for line in printable]


def console() -> Console:
    """Return a console as wide as the terminal, or of a fixed width where the output goes to a file."""
    return Console(width=None if os.isatty(1) else 110)


def plain(text: str) -> Text:
    """Return a student's text for display, without interpreting markup or control characters."""
    return Text("\n".join(readable(line) for line in text.split("\n")))


def show(text: str) -> None:
    """Print text without control characters, since it may contain a student's words or file names.

    Before joining such words into a line, pass them through ``readable``: they may contain line breaks.
    """
    print("\n".join(readable_lines(text)), flush=True)


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


#: Seconds between lines when the output is not a terminal.
_EVERY = 5.0


@contextlib.contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Show the progress of a task: a bar on a terminal, otherwise an occasional line on standard error.

    Call the returned function after each of the ``total`` steps.
    """
    console = Console(stderr=True)
    if sys.stderr.isatty():  # a kernel tells the console to write as on a terminal, and is none
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
            task = bar.add_task(description, total=total)
            yield lambda: bar.advance(task)
    else:
        yield _Lines(description, total).step


class _Lines:
    """Lines with the number of completed steps and the estimated remaining time."""

    def __init__(self, description: str, total: int):
        self.description, self.total, self.done = description, total, 0
        self.begun = self.last_shown = time.monotonic()
        print(f"{description}: 0 of {total}", file=sys.stderr, flush=True)  # immediate feedback

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if now - self.last_shown >= _EVERY and self.done < self.total:
            self.last_shown = now
            seconds_left = (now - self.begun) / self.done * (self.total - self.done)
            print(
                f"{self.description}: {self.done} of {self.total}, about {seconds_left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )
