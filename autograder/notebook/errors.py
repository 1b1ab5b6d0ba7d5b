"""User errors in calls to ``check`` and its companions; shown without a traceback."""

import difflib
from collections.abc import Sequence
from typing import Any


class UserError(LookupError):
    """Something that is not there. Its message says what there is."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for it
        return [str(self)]


def unknown_name(exercise: Any, known: Sequence[str]) -> str:
    """Return what to say about something that is not the name of an exercise."""
    if not isinstance(exercise, str):
        name = getattr(exercise, "__name__", "")
        name = name if name in known else known[0]
        return f'Expected the name of an exercise, in quotes: check("{name}").'
    near = difflib.get_close_matches(exercise, known, 1)
    more = f'Did you mean check("{near[0]}")?' if near else f"Expected one of: {', '.join(known)}."
    return f"There is no exercise {exercise!r}. {more}"
