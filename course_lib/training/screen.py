"""The progress display of a training: in a notebook a live bar and curve, elsewhere one line."""

import html
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from course_lib.live import in_live_notebook
from course_lib.training.history import duration
from course_lib.training.run import Run

EVERY = 1.0  # minimum number of seconds between two pictures
SHARE = 0.04  # maximum share of the time spent on drawing


class Screen:
    """A display that shows nothing; the base of the others."""

    def __init__(self, run: Run):
        self.run, self.next = run, 0.0

    def show_if_due(self) -> None:
        """Show the progress, unless it was shown a moment ago."""
        began = time.perf_counter()
        if began >= self.next:
            self.run.collect()
            self.show()
            ended = time.perf_counter()
            self.next = ended + max(EVERY, (ended - began) / SHARE)

    def show(self) -> None:
        """Show the progress."""

    def close(self) -> None:
        """Show the end of the training."""

    def text(self) -> str:
        """Return one line: the step, the loss, the validations, the time."""
        history, total = self.run.history, self.run.settings.steps
        parts = [f"step {history.steps} of {total}"]
        if history.losses:
            parts.append(f"loss {history.losses[-1]:.4g}")
        if history.validation:
            best = f" (best {history.best:.4g} after step {history.best_step})" if history.best is not None else ""
            parts.append(f"validation {history.validation[-1]:.4g}{best}")
        parts.append(duration(history.seconds))
        if history.stopped_early:
            parts.append("stopped early")
        elif 0 < history.steps < total:
            parts.append(f"about {duration(history.seconds / history.steps * (total - history.steps))} left")
        return " · ".join(parts)

    def interrupted(self, path: Path | None) -> str:
        """Return the message after an interruption."""
        message = f"Training was stopped after step {self.run.steps} of {self.run.settings.steps}."
        if path is None:
            return message + " Nothing was saved, since no checkpoint was asked for."
        return message + f" It is saved in '{path}'; the same call with resume=True continues from there."


class Line(Screen):
    """One line of text: overwritten in a terminal, in a file written only at the end."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.alive, self.length = sys.stdout.isatty(), 0

    def show(self) -> None:
        if self.alive:
            text = self.text()
            print("\r" + text.ljust(self.length), end="", flush=True)
            self.length = len(text)

    def close(self) -> None:
        self.show()
        print("" if self.alive else self.text(), flush=True)


class Notebook(Screen):
    """A bar with a line of text, and below it the curve; both outputs are updated in place."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.handles: dict[str, Any] = {}

    def show(self) -> None:
        from course_lib.plots.alternative import image_of  # here: with Matplotlib, which a grading process never needs
        from course_lib.training.curve import loss_picture

        history, text = self.run.history, self.text()
        amount = f'value="{history.steps}" max="{self.run.settings.steps}"'
        bar = f'<progress {amount} aria-label="training" style="width: 16em; vertical-align: middle"></progress> '
        self._put("bar", {"text/html": bar + html.escape(text), "text/plain": text})
        if history.steps > 1:
            picture = loss_picture(history, self.run.settings.better)
            self._put("curve", image_of(picture, f"The loss during training: {text}", follows=True))

    close = show

    def _put(self, name: str, data: dict[str, Any]) -> None:
        from IPython.display import display

        if name in self.handles:
            self.handles[name].update(data, raw=True)
        else:
            self.handles[name] = display(data, raw=True, display_id=True)


@contextmanager
def make_screen(show: bool, run: Run) -> Iterator[Screen]:
    """Yield the display for this environment; it also shows the end if training ends by an error."""
    kind = Screen if not show else Notebook if in_live_notebook() else Line
    screen = kind(run)
    try:
        yield screen
    finally:
        with suppress(FloatingPointError):  # another error may be on its way already
            run.collect()
        screen.close()
