"""merge_states(Y1, L1, Y2, L2) -> (Y, L)."""

import math

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Sizes,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.states import states_are

NAME = "merge_states"


def _states(
    draw: Draw, *lead: int, D: int = 11, dtype: torch.dtype = torch.float64, scale: float = 1.0
) -> list[Tensor]:
    """Return Y1, L1, Y2, L2."""
    return [draw.normal(*shape, dtype=dtype, scale=size) for shape, size in (((*lead, D), 1.0), (lead, scale)) * 2]


def _compare(student: Student, args: list[Tensor], setting: str) -> tuple[Tensor, Tensor]:
    got = expect.pair(student.call(NAME, *args), "Y", "L")
    states_are(got, references.merge_states(*args), setting)
    return got


@exercise(NAME)
@points(1)
def check_two_states(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The new L is log(exp L1 + exp L2), and the outputs are weighted by their shares of it"""
    for lead in ((), (5,), (sizes.B, sizes.H, 5), (131,), (1,), (1, 5)):
        _compare(student, _states(draw, *lead), f"Y1 {(*lead, 11)}, L1 {lead}")


@exercise(NAME)
@points(1)
def check_large_scores(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Log-sum-exps of any size give numbers"""
    for shift in (1000.0, -1000.0, 0.0):
        Y1, L1, Y2, L2 = _states(draw, sizes.B, 5, scale=1.0 if shift else 300.0)
        _compare(student, [Y1, L1 + shift, Y2, L2 + shift], f"L about {shift:.0f}" if shift else "L up to ±900")


@exercise(NAME)
@points(1)
def check_states_without_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A state without keys, zeros and −∞, changes nothing, and two of them make another one"""
    Y1, L1, Y2, L2 = _states(draw, 7)
    first, second = torch.zeros(7, dtype=torch.bool), torch.zeros(7, dtype=torch.bool)
    first[[0, 2, 3]] = second[[1, 2, 3]] = True
    Y1, Y2 = Y1.masked_fill(first[:, None], 0.0), Y2.masked_fill(second[:, None], 0.0)
    L1, L2 = L1.masked_fill(first, -math.inf), L2.masked_fill(second, -math.inf)
    _compare(student, [Y1, L1, Y2, L2], "rows 0, 2, 3 of the first and 1, 2, 3 of the second have no keys")
    _compare(
        student, [Y2 * 0, torch.full_like(L2, -math.inf), Y1 * 0, torch.full_like(L1, -math.inf)], "no keys anywhere"
    )


@exercise(NAME)
@points(1)
@promises
def check_dtype_and_device(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Dtype and device are kept, and no argument is changed"""
    for dtype in (torch.float32, torch.float64):
        states = _states(draw, sizes.B, 5, dtype=dtype)
        for value, name in zip(_compare(student, states, str(dtype)), ("Y", "L"), strict=True):
            expect.dtype(value, dtype, name)
    function_works_where_its_inputs_are(student, NAME, *states)
