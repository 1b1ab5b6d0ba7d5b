"""Save the predictions and measurements of an experiment in a small file to hand in."""

import json
import math
import os
from collections.abc import Mapping
from numbers import Real

from course_lib.training.files import write_bytes


def save_results(path: str | os.PathLike[str], predicted: Mapping[str, object], measured: Mapping[str, object]) -> None:
    """Write both to `path` as JSON: {"predicted": {name: number}, "measured": {name: number}}.

    Write the prediction down before you measure: a wrong guess that you understand afterwards is worth more than one made to
    fit. The file is written whole or not at all. Raises ValueError, and writes nothing, if there is no prediction for a
    measurement, or if a number is missing or not finite; OSError if the disk is full.
    """
    both = {"predicted": _numbers("predicted", predicted), "measured": _numbers("measured", measured)}
    if missing := sorted(both["measured"].keys() - both["predicted"].keys()):
        raise ValueError(f"Expected a prediction for everything that was measured, got none for {', '.join(missing)}.")
    write_bytes(path, (json.dumps(both, indent=1) + "\n").encode())


def _numbers(what: str, given: Mapping[str, object]) -> dict[str, float]:
    if not given:
        raise ValueError(f"Expected at least one number in {what}, got none.")
    numbers = {}
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
            raise ValueError(f"Expected finite numbers in {what}, got {name!r}: {number!r}.")
        numbers[name] = float(number)
    return numbers
