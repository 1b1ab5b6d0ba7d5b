"""A question with options, as text or, in an open notebook, as a group of radio buttons."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Question:
    """The question and its options as text, for a saved notebook, a page or a plain program."""

    name: str
    text: str
    options: list[str]

    def __str__(self) -> str:
        return "\n".join([self.text, *(f"  ( ) {option}" for option in self.options)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(option)}</li>" for option in self.options)
        return f"<p><b>Your prediction.</b> {escape(self.text)}</p><ul>{items}</ul>"


def buttons(question: Question, chosen: str, clicked: Callable[[str], str]) -> Any:
    """Return the question as a widget. `clicked` is called with each choice, and returns the note beside it."""
    widget = _widget()(question, options=question.options, question=question.text, choice=chosen)

    def on_choice(change: Any) -> None:
        if change["new"] in question.options:  # data from a browser is validated
            widget.note = clicked(change["new"])

    widget.observe(on_choice, "choice")
    widget.note = "Noted earlier; you may still change it." if chosen else ""
    return widget


@cache
def _widget() -> type:
    """Return the widget's class. It is made when it is first needed: loading ipywidgets takes a moment."""
    import anywidget
    import traitlets

    class PredictionQuestion(anywidget.AnyWidget):
        """The widget: `choice` comes from the browser, `note` goes to it. The text is shown where no widget can be."""

        _esm = Path(__file__).with_name("question.js").read_text(encoding="utf8")
        question = traitlets.Unicode().tag(sync=True)
        options: Any = traitlets.List().tag(sync=True)
        choice = traitlets.Unicode().tag(sync=True)
        note = traitlets.Unicode().tag(sync=True)

        def __init__(self, asked: Question, **values: Any):
            super().__init__(**values)
            self.asked = asked

        def _repr_mimebundle_(self, **options: Any) -> Any:
            text = {"text/html": self.asked._repr_html_(), "text/plain": str(self.asked)}
            made = super()._repr_mimebundle_(**options)
            bundle, metadata = made if isinstance(made, tuple) else (made or {}, {})
            return {**bundle, **text}, metadata

    return PredictionQuestion
