"""Predictions by a click: `predict` asks before an experiment, and `came_out` says beside its result what was predicted."""

from collections.abc import Sequence
from typing import Any

from course_lib.live import in_live_notebook
from course_lib.predictions.outcome import Outcome
from course_lib.predictions.question import Question, buttons
from course_lib.predictions.store import record, recorded

#: What was asked in this kernel, and the results that are shown, by name.
_ASKED: dict[str, Question] = {}
_OUTCOMES: dict[str, Outcome] = {}

#: Where the result was there before the click, in this kernel: that is no prediction.
_LATE: set[str] = set()


def predict(name: str, question: str, options: Sequence[str]) -> Any:
    """Return a question for the cell in front of an experiment. A click is kept in `.autograder/predictions.json`.

    `name` is that of the experiment, one in the whole course. Where no kernel runs (a saved notebook, a page), and where
    notebooks are graded, it is the question as text, and nothing is written. Raises ValueError for fewer than two options, or two
    alike.
    """
    if isinstance(options, str) or len(options) < 2 or len(set(options)) < len(options):
        raise ValueError(f"Expected at least two different options, got {options!r}.")
    asked = _ASKED[name] = Question(name, question, list(options))
    if not in_live_notebook():
        return asked
    before = recorded(name)
    return buttons(asked, before if before in asked.options else "", lambda choice: _clicked(name, choice))


def came_out(name: str, came: str) -> Outcome:
    """Return the sentence that compares the prediction with what `came`, one of its options; the last line of an experiment.

    Raises ValueError if `came` is none of the options.
    """
    if name in _ASKED and came not in _ASKED[name].options:
        raise ValueError(f"Expected one of the options of {name!r}, {_ASKED[name].options}, got {came!r}.")
    _OUTCOMES[name] = Outcome(name, came, _ASKED[name].options if name in _ASKED else [], late=name in _LATE)
    return _OUTCOMES[name]


def _clicked(name: str, choice: str) -> str:
    """Keep a choice, and return what to say beside it."""
    kept = record(name, choice)
    if name in _OUTCOMES:
        _LATE.add(name)
        _OUTCOMES[name].late = True
        _OUTCOMES[name].update()
        return "Noted. The result was there already."
    return "Noted. Now run the next cell." if kept else "Noted until this kernel stops: the disk took no file."
