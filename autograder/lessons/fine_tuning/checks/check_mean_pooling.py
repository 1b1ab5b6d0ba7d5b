"""mean_pooling(Y, mask)."""

import torch

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    is_stateless,
    points,
    promises,
)
from autograder.lessons.fine_tuning import references

NAME = "mean_pooling"
D = 11


def _mask(lengths: list[int], N: int) -> torch.Tensor:
    return torch.arange(N) < torch.tensor(lengths)[:, None]


def _agree(student: Student, Y: torch.Tensor, mask: torch.Tensor, more: str = "") -> None:
    want = references.mean_pooling(Y, mask)
    got = expect.tensor(student.mean_pooling(Y, mask), "the means")
    setting = f"Y {tuple(Y.shape)}, lengths {mask.sum(1).tolist()}{more}"
    expect.shape(got, tuple(want.shape), "the means", "(B, D)", setting)
    expect.allclose(got, want, "the means", setting=setting, size=float(want.abs().max()))


@exercise(NAME)
@points(1)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each row is the mean of the vectors of its own tokens"""
    for lengths, N in (([1], 1), ([3], 3), ([2, 5], 5), ([7, 1, 4], 7), ([5] * D, D), ([sizes.N_K, 2], sizes.N_K)):
        Y, mask = draw.normal(len(lengths), N, D) + 1.0, _mask(lengths, N)
        _agree(student, Y, mask)
        _agree(student, Y.float(), mask, ", float32")


@exercise(NAME)
@points(1)
def check_padding(student: Student, draw: Draw) -> None:
    """Vectors of padding change nothing, however large they are, and wherever padding stands"""
    Y, mask = draw.normal(4, 9, D), _mask([9, 1, 4, 6], 9)
    for padding in (0.0, 1e4):
        filled = Y.masked_fill(~mask[..., None], padding)
        _agree(student, filled, mask, f", {padding:g} at padding")
        _agree(student, filled.flip(1), mask.flip(1), f", padding in front, with {padding:g}")
    _agree(student, filled[1:2, :3], mask[1:2, :3], ", alone, with less padding")


@exercise(NAME)
@points(1)
@promises
def check_gradients(student: Student, draw: Draw) -> None:
    """Gradients flow to the tokens, in equal shares, and not to padding"""
    Y, mask = draw.normal(3, 5, D), _mask([5, 2, 3], 5)
    G = draw.normal(3, D)
    answer = student.answer(Request(NAME, (Y, mask), cotangents=(G,)))
    expect.tensor(answer.value, "the means")
    want = mask[..., None] * G[:, None] / mask.sum(1)[:, None, None]
    expect.gradients(answer.gradients, [want], ["Y"], f"Y {tuple(Y.shape)}, lengths {mask.sum(1).tolist()}")
    is_stateless(student, NAME, references.mean_pooling, (Y, mask), draw)
