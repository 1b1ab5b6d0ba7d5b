"""Compare the work of a call in which most tiles are hidden with that of one in which all are visible."""

from collections.abc import Callable, Mapping
from typing import Any

from autograder.checks import CheckFailure, Student

#: The part may take at most this share of the work for all tiles. Right answers take 0.06 to 0.33 of it, by operations and by
#: time; an answer that computes hidden tiles too takes all of it.
NOTHING_SAVED = 0.8


def hidden_tiles_save_work(
    student: Student,
    name: str,
    fresh: Callable[[], tuple],
    part: Mapping[str, Any] | tuple,
    whole: Mapping[str, Any] | tuple,
    *,
    message: str,
    setting: str,
    whole_is: str,
    hint: str,
) -> None:
    """Fail unless the call with the options ``part`` takes a small part of the work with the options ``whole``.

    ``whole_is`` names the second call: "all tiles", "causal=False".
    """
    ratio = student.work_ratio(name, fresh, part, whole, NOTHING_SAVED)
    if not 0 < ratio <= NOTHING_SAVED:
        raise CheckFailure(
            "work",
            message,
            setting=setting,
            expected=f"a small part of the work for {whole_is}",
            yours=f"{ratio:.2f} times",
            received="work",
            cause="hidden tiles are computed",
            hint=hint,
        )
