"""Diagnosis of a wrong shape: a missing, additional or swapped axis, or one of the wrong length."""

import itertools
import math
import re
from collections.abc import Sequence

from autograder.diagnosis.patterns import Symptom
from autograder.runtime.errors import CheckFailure

_WRITE = "Write the shape beside each line, in letters, and find the line where it goes wrong."


#: The shape is right except that axes of length 1 are missing.
DROPPED = (
    "axes of length 1 dropped",
    "Here an axis happens to have length 1, and it is gone: look for squeeze, or for an index in place of a slice. An axis "
    "stays, whatever its length.",
)


def symptom(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for a wrong shape, or None. The failure's ``expected`` gives the shape in numbers and letters."""
    shape = re.match(r"\(([\d, ]*)\)", failure.expected)
    if failure.kind != "shape" or shape is None or not isinstance(failure.received, list):
        return None
    expected_shape = [int(number) for number in shape[1].replace(" ", "").split(",") if number]
    return difference(failure.received, expected_shape, letters(failure))


_PLACE = re.compile(r"Target sizes: \[([\d, ]+)\]\. +Tensor sizes: \[([\d, ]+)\]")


def assigned(text: str) -> Symptom | None:
    """Return (cause, hint) for PyTorch's message about assigning a tensor whose transpose would fit; or None."""
    match = _PLACE.search(text)
    if match is None:
        return None
    target, tensor = ([int(number) for number in sizes.split(",")] for sizes in match.groups())
    if len(target) < 2 or target == tensor or tensor != [*target[:-2], target[-1], target[-2]]:
        return None
    return "rows and columns exchanged", (
        f"The value to be assigned has the shape ({', '.join(map(str, tensor))}), and its place "
        f"({', '.join(map(str, target))}). Which of its factors should run down the rows, (N, 1), and which along the "
        "columns?"
    )


def letters(failure: CheckFailure) -> list[str]:
    """Return the letters of the axes named in a failure about a shape; empty if it names none."""
    shape = re.match(r"\([\d, ]*\) = \((.*)\)", failure.expected)
    return [letter.strip() for letter in shape[1].split(",") if letter.strip()] if shape else []


def common_difference(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Symptom | None:
    """Find a description that fits all pairs (wrong shape, right shape), even if different axes differ."""
    if all(sorted(actual) == sorted(expected) for actual, expected in pairs):
        return "axes in the wrong order", f"The lengths are right, and their order is not. {_WRITE}"
    if all(math.prod(actual) == math.prod(expected) for actual, expected in pairs):
        return (
            "reshaped to the wrong axes",
            f"Your result has the right number of elements, in axes of different lengths: a reshape, view or flatten. {_WRITE}",
        )
    apart = {
        tuple((n, a - b) for n, (a, b) in enumerate(zip(actual, expected, strict=True)) if a != b)
        for actual, expected in pairs
        if len(actual) == len(expected)
    }
    if len(apart) == 1 and all(len(actual) == len(expected) for actual, expected in pairs):
        [places] = apart
        if len(places) == 1 and abs(places[0][1]) == 1:
            [(axis, step)] = places
            return f"one too {'many' if step > 0 else 'few'} along axis {axis}", f"It is so for every length. {_RANGE}"
    steps = {len(actual) - len(expected) for actual, expected in pairs}
    if len(steps) == 1 and 0 not in steps:
        [step] = steps
        few = "few" if step < 0 else "many"
        return f"{abs(step)} axes too {few}" if abs(step) > 1 else f"one axis too {few}", _WRITE
    return None


def another_length(pairs: Sequence[tuple[Sequence[int], Sequence[int]]], axis_letters: Sequence[str]) -> Symptom | None:
    """Find the one axis that in all pairs (shape, right shape) has the length of a different axis of the right shape.

    In single pairs, these axes may have equal lengths by chance; the shape is then right.
    """
    ranks = {len(shape) for pair in pairs for shape in pair}
    if (
        len({tuple(expected) for _, expected in pairs}) < 2
        or len(ranks) != 1
        or all(list(a) == list(b) for a, b in pairs)
    ):
        return None
    [rank] = ranks
    matches = [
        (axis, other_axis)
        for axis, other_axis in itertools.permutations(range(rank), 2)
        if all(
            list(actual) == [*expected[:axis], expected[other_axis], *expected[axis + 1 :]]
            for actual, expected in pairs
        )
    ]
    if len(matches) != 1:
        return None
    names = _axis_names(axis_letters, rank)
    [(axis, other_axis)] = matches
    return (
        f"the length of {names[other_axis]} in the place of {names[axis]}",
        f"In {len(pairs)} calls {names[axis]} has the length of {names[other_axis]}. {_WRITE}",
    )


def difference(actual: Sequence[int], expected: Sequence[int], axis_letters: Sequence[str]) -> Symptom | None:
    """Return (cause, hint) for a wrong shape. ``axis_letters``: the letters of the axes, if known."""
    if list(actual) == list(expected):
        return None
    compare = _same_rank if len(actual) == len(expected) else _another_rank
    return compare(actual, expected, _axis_names(axis_letters, len(expected)))


def _axis_names(axis_letters: Sequence[str], rank: int) -> Sequence[str]:
    """Return the letters if there is one for each axis, or else names such as "axis 0"."""
    known = len(axis_letters) == rank and "…" not in axis_letters
    return axis_letters if known else [f"axis {n}" for n in range(rank)]


def _another_rank(actual: Sequence[int], expected: Sequence[int], names: Sequence[str]) -> Symptom | None:
    if 1 in expected and list(actual) == [n for n in expected if n != 1]:
        return DROPPED
    if not actual:
        return (
            "a single number instead of a tensor",
            f"A sum, a mean or an index runs over everything. {_over(names)}",
        )
    if 1 in actual and [n for n in actual if n != 1] == [n for n in expected if n != 1] and len(actual) > len(expected):
        return (
            "an axis of length 1 too many",
            "The result has the right number of elements and an additional axis of length 1: look for unsqueeze, None as an "
            "index, and keepdim.",
        )
    missing = [n for n in range(len(expected)) if [*expected[:n], *expected[n + 1 :]] == list(actual)]
    if len(missing) == 1:
        return (
            f"the axis {names[missing[0]]} is missing",
            f"Something sums, averages or indexes over {names[missing[0]]} and does not keep it. {_WRITE}",
        )
    extra = [n for n in range(len(actual)) if [*actual[:n], *actual[n + 1 :]] == list(expected)]
    if extra:
        return (
            "an axis too many",
            f"Axis {extra[0]} of yours, of length {actual[extra[0]]}, should not be there. {_WRITE}",
        )
    if math.prod(actual) == math.prod(expected):
        return (
            "axes merged or split",
            f"The result has the right number of elements but {len(actual)} axes instead of {len(expected)}. {_WRITE}",
        )
    return (
        f"{len(actual)} axes instead of {len(expected)}",
        f"The result should have the axes {', '.join(names)}. {_WRITE}",
    )


_RANGE = "Look at where a range begins and ends, and at what is added to or cut off a sequence."
_ALONE = "Is there only one, whatever was asked for, or has a sum or an index left one?"


def missing_axes(actual: Sequence[int], expected: Sequence[int]) -> bool:
    """Return whether a shape is the expected one without some of its axes of length 1."""
    return len(actual) < len(expected) and [n for n in actual if n != 1] == [n for n in expected if n != 1]


def _same_rank(actual: Sequence[int], expected: Sequence[int], names: Sequence[str]) -> Symptom | None:
    differing = [n for n in range(len(expected)) if actual[n] != expected[n]]
    if sorted(actual) == sorted(expected):
        if len(differing) == 2:
            return (
                " and ".join(f"axis {names[n].removeprefix('axis ')}" for n in differing) + " exchanged",
                f"Two axes are swapped. {_WRITE}",
            )
        return "axes in the wrong order", f"The lengths are right, and their order is not. {_WRITE}"
    if len(differing) > 1:
        if math.prod(actual) == math.prod(expected):
            return (
                "reshaped to axes of the wrong lengths",
                f"The result has the right number of elements, but axes of different lengths. {_WRITE}",
            )
        return f"other lengths of {', '.join(names[n] for n in differing)}", _WRITE
    axis = differing[0]
    have, need, name = actual[axis], expected[axis], names[axis]
    if abs(have - need) == 1 and need > 1:
        amount = "one too many" if have > need else "one too few"
        return (
            f"{amount} along {name}",
            f"{name} should be {need} and is {have}. {_ALONE if have == 1 else _RANGE}",
        )
    if need == 1 and have > 1:
        return (
            "an axis of length 1 became longer",
            f"{name} should be 1 and is {have}. PyTorch repeats an axis of length 1 when two tensors are combined whose axes do "
            f"not line up, as after a squeeze. {_WRITE}",
        )
    if need and have % need == 0 and have > need:
        return (
            f"{name} is {have // need} times as long",
            f"Something is repeated or concatenated along {name} that should be added, or kept apart in an axis of its own.",
        )
    if have == 1:
        return f"only one along {name}", f"{name} should be {need} and is 1. {_ALONE}"
    axes_of_that_length = [names[n] for n in range(len(expected)) if n != axis and expected[n] == have]
    if len(axes_of_that_length) == 1:
        return (
            f"the length of {axes_of_that_length[0]} in the place of {name}",
            f"{name} should be {need}; {have} is the length of {axes_of_that_length[0]}. {_WRITE}",
        )
    return f"another length of {name}", f"{name} should be {need} and is {have}. {_WRITE}"


def _over(names: Sequence[str]) -> str:
    return f"The result keeps {', '.join(names)}." if names else ""
