"""Compare the numbers in a lesson's prose with the results of its notebook.

A cell tagged ``numbers`` in a lesson's source calls :func:`says`, :func:`claims` and :func:`given`. Notebooks that are handed out
or graded do not contain it; :mod:`autograder.authoring.with_numbers` writes notebooks that do, for nbval to run.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

TAG = "numbers"

#: Environment variable, set where notebooks run with shortened training, so that results without a checkpoint differ.
SHORT = "AUTOGRADER_SHORT_TRAINING"

_NUMBER = re.compile(r"(?<![\w.,])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?P<percent>\s*\\?%)?")
_SHOWN = re.compile(r"<summary>What you should see</summary>(.*?)</details>", re.DOTALL)


class WrongNumber(AssertionError):
    """A number in the prose that differs from the result of the notebook."""


@dataclass(frozen=True)
class Number:
    """A number as written in the prose. ``unit``: one unit of its last digit."""

    text: str
    value: float
    unit: float


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the numbers in a text; a percentage becomes a share."""
    for match in _NUMBER.finditer(text):
        digits_text = match[0][: match.start("percent") - match.start()] if match["percent"] else match[0]
        digits_text = digits_text.strip().replace(",", "").replace("−", "-")
        scale = 0.01 if match["percent"] else 1.0
        digits = len(digits_text.partition(".")[2])
        yield Number(match[0], float(digits_text) * scale, scale * 10**-digits)


def says(text: str, *values: float, within: float = 1.0, whole: bool = False) -> None:
    """Compare the numbers in ``text``, quoted word for word from the prose, with ``values``, in order.

    Each may differ by ``within`` units of its last digit; a number with a percent sign is a share, from 0 to 1. ``whole``: the
    result needs the whole training, as in ``make nightly`` but not in ``make test``. Raises WrongNumber if one differs,
    ValueError unless there are as many values as numbers.
    """
    numbers = list(numbers_in(text))
    if len(numbers) != len(values) or not numbers:
        raise ValueError(f"Expected one value for each number in {text!r}, {len(numbers)} in all, got {len(values)}.")
    if whole and os.environ.get(SHORT):
        return
    wrong = [
        f"{number.text} is {float(value):.6g} in the notebook"
        for number, value in zip(numbers, values, strict=True)
        if not abs(number.value - float(value)) <= within * number.unit * (1 + 1e-9)
    ]
    if wrong:
        raise WrongNumber(f"The prose says {text!r}, but {', '.join(wrong)}. Correct the prose, or what computes it.")


def claims(text: str, holds: bool, *, whole: bool = False) -> None:
    """Require that a claim without a number, quoted word for word from the prose, holds for the notebook's results.

    ``whole``: as for :func:`says`. Raises WrongNumber if it does not.
    """
    if not holds and not (whole and os.environ.get(SHORT)):
        raise WrongNumber(f"The prose says {text!r}, which is not so in the notebook.")


def given(*texts: str) -> None:
    """Exempt passages of the prose whose numbers the notebook does not compute: a setting, a year, arithmetic, a citation.

    A measurement on one machine, or one that needs more than a notebook, also counts if the passage says so.
    """


def shown(prose: str) -> Iterator[str]:
    """Yield the texts under "What you should see"."""
    yield from _SHOWN.findall(prose)
