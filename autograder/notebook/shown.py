"""What a notebook shows while a check runs, and the number that it ends with."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.execute import ON_CHECK
from autograder.verdict import markup

#: Seconds between two changes of the line, at least.
_EVERY = 0.2


class Points(float):
    """The points of a check. nbgrader reads the number; a notebook does not show it below the table, which has it already."""

    def _repr_html_(self) -> str:
        return ""


@contextlib.contextmanager
def checking(exercise: str, total: int) -> Iterator[Callable[[Any], None]]:
    """Show a line that moves with each of ``total`` checks, and yield what puts another thing in its place.

    Outside a notebook only that thing is printed.
    """
    put = _place()
    line = _Line(exercise, total, put)
    line.show()
    token = ON_CHECK.set(line.next)
    try:
        yield lambda thing: put(str(thing), getattr(thing, "_repr_html_", lambda: None)())
    finally:
        ON_CHECK.reset(token)


class _Line:
    def __init__(self, exercise: str, total: int, put: Callable[[str, str | None], None]):
        self.exercise, self.total, self.put = exercise, total, put
        self.begun, self.told = 0, 0.0

    def next(self) -> None:
        self.begun += 1
        if time.monotonic() - self.told >= _EVERY:
            self.show()

    def show(self) -> None:
        self.told = time.monotonic()
        text = f"Checking {self.exercise} …"
        if 0 < self.begun <= self.total:
            text = f"Checking {self.exercise}: property {self.begun} of {self.total} …"
        elif self.begun:  # run again with right earlier exercises
            text = f"Checking {self.exercise}: looking for the cause …"
        self.put(text, markup.moving(text))


def _place() -> Callable[[str, str | None], None]:
    """Return what shows a text and its HTML in one place, each time instead of what was there."""
    from IPython import get_ipython

    if get_ipython() is None:
        return _print
    from IPython.display import display

    handle = display({"text/plain": ""}, raw=True, display_id=True)

    def put(text: str, html: str | None) -> None:
        handle.update({"text/plain": text} | ({} if html is None else {"text/html": html}), raw=True)

    return put


def _print(text: str, html: str | None) -> None:
    if not text.startswith("Checking ") and text:
        print(text)
