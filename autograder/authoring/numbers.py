"""The numbers in a lesson's prose: cells that exist only for the authors compare them with what the notebook computes.

A cell tagged ``numbers`` in a lesson's source calls :func:`says`, :func:`claims` and :func:`given`. It is in neither of the
notebooks that are handed out or graded; :mod:`autograder.authoring.with_numbers` writes notebooks with it, for nbval to run.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

TAG = "numbers"

#: Set where notebooks run with a part of their training, so that what has no checkpoint comes out otherwise.
SHORT = "AUTOGRADER_SHORT_TRAINING"

_NUMBER = re.compile(r"(?<![\w.,])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?P<percent>\s*\\?%)?")
_SHOWN = re.compile(r"<summary>What you should see</summary>(.*?)</details>", re.DOTALL)


class WrongNumber(AssertionError):
    """The prose says another number than the notebook computes."""


@dataclass(frozen=True)
class Number:
    """A number as the prose shows it. ``unit`` is one of its last digit."""

    text: str
    value: float
    unit: float


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the numbers in a text; one with a percent sign is a share."""
    for found in _NUMBER.finditer(text):
        shown = found[0][: found.start("percent") - found.start()] if found["percent"] else found[0]
        shown = shown.strip().replace(",", "").replace("−", "-")
        scale = 0.01 if found["percent"] else 1.0
        digits = len(shown.partition(".")[2])
        yield Number(found[0], float(shown) * scale, scale * 10**-digits)


def says(text: str, *values: float, within: float = 1.0, whole: bool = False) -> None:
    """Compare the numbers in ``text``, which the prose contains word for word, with ``values``, in order.

    Each may differ by ``within`` units of the last digit that is shown; a number with a percent sign is a share, from 0 to 1.
    ``whole``: it takes the whole training to get there, which ``make nightly`` does, and ``make test`` does not.
    Raises WrongNumber if one differs, ValueError if there are not as many values as numbers.
    """
    shown = list(numbers_in(text))
    if len(shown) != len(values) or not shown:
        raise ValueError(f"Expected one value for each number in {text!r}, {len(shown)} in all, got {len(values)}.")
    if whole and os.environ.get(SHORT):
        return
    wrong = [
        f"{number.text} is {float(value):.6g} in the notebook"
        for number, value in zip(shown, values, strict=True)
        if not abs(number.value - float(value)) <= within * number.unit * (1 + 1e-9)
    ]
    if wrong:
        raise WrongNumber(f"The prose says {text!r}, but {', '.join(wrong)}. Correct the prose, or what computes it.")


def claims(text: str, holds: bool, *, whole: bool = False) -> None:
    """Say whether a claim without a number, which the prose contains word for word, is true of what the notebook computes.

    ``whole``: as for :func:`says`. Raises WrongNumber if it is not.
    """
    if not holds and not (whole and os.environ.get(SHORT)):
        raise WrongNumber(f"The prose says {text!r}, which is not so in the notebook.")


def given(*texts: str) -> None:
    """Name passages of the prose whose numbers the notebook does not compute: a setting, a year, arithmetic, a cited result.

    Also a measurement on one machine, or one that takes more than a notebook, if the passage says so.
    """


def shown(prose: str) -> Iterator[str]:
    """Yield the texts that say what one should see."""
    yield from _SHOWN.findall(prose)
