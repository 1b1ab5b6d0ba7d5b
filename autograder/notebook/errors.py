"""User errors in calls to ``check`` and its companions; shown without a traceback."""

import difflib
from collections.abc import Sequence
from typing import Any


class UserError(LookupError):
    """A wrong name in a call from a notebook. The message lists the valid names."""

    def _render_traceback_(self) -> list[str]:  # called by IPython
        return [str(self)]


def unknown_name(exercise: Any, exercises: Sequence[str], call: str = "check") -> str:
    """Return the message about a name that is no exercise's, passed to the function ``call``."""
    if not isinstance(exercise, str):
        name = getattr(exercise, "__name__", "")
        name = name if name in exercises else exercises[0]
        return f'Expected the name of an exercise, in quotes: {call}("{name}").'
    near = difflib.get_close_matches(exercise, exercises, 1)
    more = f'Did you mean {call}("{near[0]}")?' if near else f"Expected one of: {', '.join(exercises)}."
    return f"There is no exercise {exercise!r}. {more}"
