"""sliding_window(N_Q, N_K, window, sinks=0, device=None)."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Matrix, Request, Student, exercise, expect, points

NAME = "sliding_window"


def _compare(student: Student, *args: int, **options: Any) -> Tensor:
    """Compare with the definition, entry by entry."""
    N_Q, N_K, window = args[:3]
    sinks = args[3] if len(args) > 3 else options.get("sinks", 0)
    said = ", ".join([*map(str, args), *(f"{name}={value}" for name, value in options.items())])
    mask = expect.tensor(student.call(NAME, *args, **options), "The mask")
    expect.shape(mask, (N_Q, N_K), "The mask", "(N_Q, N_K)", f"sliding_window({said})")
    expect.boolean(mask, "The mask", f"sliding_window({said})")
    positions = range(N_K - N_Q, N_K)
    want = torch.tensor([[j <= p and (p - window < j or j < sinks) for j in range(N_K)] for p in positions])
    wrong = mask != want.view(N_Q, N_K)
    if wrong.any():
        i, j = wrong.nonzero()[0].tolist()
        right = bool(want[i, j])
        raise CheckFailure(
            "value",
            f"The query at position {positions[i]} {'may' if right else 'may not'} attend to the key at position {j}.",
            setting=f"sliding_window({said})",
            expected=f"{right} in row {i}, column {j}; {int(want[i].sum())} keys are visible",
            yours=f"{not right}; {int(mask[i].sum())} keys are visible",
            received=mask.double(),
            wanted=want.double(),
            picture=Matrix(mask.double(), want.double(), wrong, "allowed"),
        )
    return mask


@exercise(NAME)
@points(2)
def check_window(student: Student, draw: Draw) -> None:
    """A query sees itself and the window − 1 keys before it, and no later key"""
    for N in (1, 2, 5, 7, 13):
        for window in (1, 2, 3, 5):
            _compare(student, N, N, window)
    drawn = 2 + int(draw.integers(9))
    _compare(student, 17, 17, drawn)


@exercise(NAME)
@points(1)
def check_sinks(student: Student, draw: Draw) -> None:
    """The first keys stay visible, but not before they have come"""
    for sinks in (1, 2, 4):
        for N, window in [(7, 1), (7, 3), (11, 5), (2, 3)]:
            _compare(student, N, N, window, sinks)
            _compare(student, N, N, window, sinks=sinks)
    _compare(student, 11, 11, 2, 5)  # more sinks than a window: the last keys are no sinks
    _compare(student, 17, 17, 2 + int(draw.integers(5)), 1 + int(draw.integers(4)))


@exercise(NAME)
@points(1)
def check_fewer_queries_than_keys(student: Student, draw: Draw) -> None:
    """The queries are the last of the keys: with a cache the rows are the last rows of the whole mask"""
    for N_Q in (1, 2, 5):
        for N_K in (7, 11):
            for window, sinks in [(1, 0), (3, 0), (3, 2), (6, 1)]:
                _compare(student, N_Q, N_K, window, sinks)


@exercise(NAME)
@points(1)
def check_window_of_everything(student: Student, draw: Draw) -> None:
    """A window as long as the text is the causal mask; the mask is made on the device that is passed"""
    for N_Q, N_K in [(5, 5), (2, 7)]:
        for window in (N_K, N_K + 3):
            _compare(student, N_Q, N_K, window)
            _compare(student, N_Q, N_K, window, 2)
    mask = student.answer(Request(NAME, (3, 5, 2), {"device": "meta"})).value
    if not isinstance(mask, Tensor) or mask.device.type != "meta":
        raise CheckFailure(
            "device",
            "The mask is not on the device that was passed.",
            setting='device="meta"',
            expected="a mask there",
            yours="a mask on the CPU",
            received="device",
            cause="device ignored",
            hint="Pass device on to what makes the positions.",
        )
