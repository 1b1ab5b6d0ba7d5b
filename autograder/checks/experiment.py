"""An experiment that was handed in: a file with what was predicted and measured, which is measured again with the weights."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Student

MOST_RESULT_BYTES = 10_000
_SAVE = "Run the cell that calls save_results, and hand in the file together with the notebook."


@dataclass(frozen=True)
class Results:
    """The numbers in a results file, by name."""

    predicted: Mapping[str, float]
    measured: Mapping[str, float]


def results(student: Student, file: str, names: Sequence[str]) -> Results:
    """Return what is in the results file, which a stranger wrote, or fail and say what is wrong with it.

    It has to hold a prediction and a measurement for each of ``names``.
    """
    data = student.file(file)
    if data is None:
        raise CheckFailure(
            "results",
            f"There is no file {file} beside the notebook.",
            expected=f"{file}, with what you predicted and what you measured",
            yours="no such file, or one that is far too large",
            received="no file",
            cause="no results file",
            hint=_SAVE,
        )
    read = _read_results(data)
    parts = {}
    for what in ("predicted", "measured"):
        held = read.get(what) if isinstance(read, dict) else None
        numbers = {name: held[name] for name in names if _is_number(held.get(name))} if isinstance(held, dict) else {}
        if missing := [name for name in names if name not in numbers]:
            raise CheckFailure(
                "results",
                f"{file} does not say what was {what}.",
                expected=f"a number for each of: {', '.join(names)}",
                yours=f"none for {', '.join(missing)}",
                received=(what, *missing),
                cause="no prediction" if what == "predicted" else "results missing",
                hint=f"Pass every number to save_results, under the names that the exercise gives. {_SAVE}",
            )
        parts[what] = {name: float(number) for name, number in numbers.items()}
    return Results(**parts)


def _read_results(data: bytes) -> Any:
    """Return what the JSON text in ``data`` holds; None if it is none, or too long."""
    if len(data) > MOST_RESULT_BYTES:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9 and math.isfinite(value)


def confirm(found: Results, again: Mapping[str, float], within: float, setting: str) -> None:
    """Fail unless every measured number is that of the weights that were handed in, as ``again`` has it."""
    wrong = {name: value for name, value in again.items() if not abs(found.measured[name] - value) <= within}
    if wrong:
        raise CheckFailure(
            "results",
            "The numbers in the file are not those of the weights that you handed in.",
            setting=setting,
            expected=", ".join(f"{name} {value:.3g}" for name, value in wrong.items()),
            yours=", ".join(f"{name} {found.measured[name]:.3g}" for name in wrong),
            received=tuple(wrong),
            cause="results of other weights",
            hint="After a new training, measure and save the results again. Look at the names, too: each number needs its own.",
        )


def require_learned(unlearned: Mapping[str, float], expected: str, setting: str) -> None:
    """Fail if there is a number that a model without training has, too: then nothing was trained, and nothing compared."""
    if unlearned:
        raise CheckFailure(
            "results",
            "A model that was handed in does no better than one that was never trained.",
            setting=setting,
            expected=expected,
            yours=", ".join(f"{name} {value:.3g}" for name, value in unlearned.items()),
            received=tuple(unlearned),
            cause="never trained",
            hint="Train both models. What one thing changes can only be seen in models that have learned something.",
        )


def require_two(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> None:
    """Fail if both files hold the same weights: then nothing was changed."""
    if first.keys() == second.keys() and all(first[name].equal(second[name]) for name in first):
        raise CheckFailure(
            "results",
            "Both files hold the same weights.",
            received="the same weights",
            cause="the same weights twice",
            hint="Train a second model, with the one thing changed, and give its checkpoint the other name.",
        )
