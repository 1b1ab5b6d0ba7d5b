"""A sentence beside a result that compares it with the prediction."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

from course_lib.live import in_live_notebook
from course_lib.predictions.store import recorded

#: Colours of the edge, by Okabe and Ito: as predicted, otherwise, and not predicted.
_RIGHT, _WRONG, _OPEN = "#0072b2", "#d55e00", "#999"


@dataclass
class Outcome:
    """The outcome of an experiment, `came`, which follows from its numbers. In an open notebook, a later click updates the
    sentence.

    `options`: those of the question, if this kernel has asked it; options of an earlier version are no predictions.
    """

    name: str
    came: str
    options: list[str] = field(default_factory=list)
    late: bool = False  # the click came after the result
    handles: list[Any] = field(default_factory=list, repr=False)

    def __str__(self) -> str:
        if not in_live_notebook():
            return f"It came out as “{self.came}”."
        choice = self._choice()
        if not choice:
            return f"It came out as “{self.came}”. No prediction was clicked before."
        if self.late:
            return f"It came out as “{self.came}”. You chose “{choice}” when the result was there."
        if choice == self.came:
            return f"You predicted “{choice}”, and so it came out."
        return f"You predicted “{choice}”; it came out as “{self.came}”. A surprise teaches most: why was it so?"

    __repr__ = __str__

    def _choice(self) -> str:
        choice = recorded(self.name) if in_live_notebook() else ""
        return choice if not self.options or choice in self.options else ""

    def update(self) -> None:
        """Update the sentence wherever it is shown."""
        for handle in self.handles:
            handle.update(self._shown(), raw=True)

    def _shown(self) -> dict[str, str]:
        choice = self._choice()
        edge = _OPEN if not choice else _RIGHT if choice == self.came else _WRONG
        style = f"border-left:4px solid {edge};padding:2px 8px;margin:0.4em 0;max-width:60em"
        return {"text/html": f'<p style="{style}">{escape(str(self))}</p>', "text/plain": str(self)}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        handle = display(self._shown(), raw=True, display_id=True)
        if handle is not None:
            self.handles.append(handle)
