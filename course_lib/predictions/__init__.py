"""Predictions by clicking: `predict` asks before an experiment, and `came_out` compares the prediction with the result."""

from collections.abc import Sequence
from typing import Any

from course_lib.live import in_live_notebook
from course_lib.predictions.outcome import Outcome
from course_lib.predictions.question import Question, buttons
from course_lib.predictions.store import record, recorded

#: The questions asked in this kernel, and the results shown, by name.
_ASKED: dict[str, Question] = {}
_OUTCOMES: dict[str, Outcome] = {}

#: Names of experiments whose result preceded the click, in this kernel: these are no predictions.
_LATE: set[str] = set()


def predict(name: str, question: str, options: Sequence[str]) -> Any:
    """Return a question for the cell before an experiment. A click is saved in `.autograder/predictions.json`.

    `name`: that of the experiment, unique in the course. Without a kernel (a saved notebook, a page), and in grading, it is the
    question as text, and nothing is written. Raises ValueError for fewer than two options, or equal ones.
    """
    if isinstance(options, str) or len(options) < 2 or len(set(options)) < len(options):
        raise ValueError(f"Expected at least two different options, got {options!r}.")
    asked = _ASKED[name] = Question(name, question, list(options))
    if not in_live_notebook():
        return asked
    before = recorded(name)
    return buttons(asked, before if before in asked.options else "", lambda choice: _clicked(name, choice))


def came_out(name: str, came: str) -> Outcome:
    """Return the sentence that compares the prediction with the result `came`, one of its options; ends an experiment.

    Raises ValueError if `came` is not one of the options.
    """
    if name in _ASKED and came not in _ASKED[name].options:
        raise ValueError(f"Expected one of the options of {name!r}, {_ASKED[name].options}, got {came!r}.")
    _OUTCOMES[name] = Outcome(name, came, _ASKED[name].options if name in _ASKED else [], late=name in _LATE)
    return _OUTCOMES[name]


def _clicked(name: str, choice: str) -> str:
    """Save a choice, and return the note beside it."""
    kept = record(name, choice)
    if name in _OUTCOMES:
        _LATE.add(name)
        _OUTCOMES[name].late = True
        _OUTCOMES[name].update()
        return "Noted. The result was there already."
    return "Noted. Now run the next cell." if kept else "Noted until this kernel stops: the disk took no file."
