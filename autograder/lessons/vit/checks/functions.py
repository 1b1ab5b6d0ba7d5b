"""Shared parts of the checks of the lesson's functions: the comparison of one result, and properties of every function."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from autograder.checks import Request, Student, expect


def pixels(B: int, C: int, height: int, width: int) -> Tensor:
    """Pictures whose pixels are numbered from 0, the smallest example to look at."""
    return torch.arange(float(B * C * height * width), dtype=torch.float64).reshape(B, C, height, width)


def same_value(student: Student, name: str, args: tuple, want: Tensor, what: str, meaning: str, setting: str) -> Tensor:
    """Compare the one result of ``name(*args)`` with ``want``, and return it."""
    got = expect.tensor(student.call(name, *args), what)
    expect.shape(got, want.shape, what, meaning, setting)
    if got.is_floating_point():
        expect.dtype(got, want.dtype, what, setting)
    expect.allclose(got, want, what, size=float(want.abs().max()) if want.numel() else 1.0, setting=setting)
    return got


def keeps(
    student: Student, name: str, args: tuple, reference: Callable[..., Tensor], what: str, names: Sequence[str]
) -> None:
    """Fail unless, in float32, the result is right and float32, and the arguments are not changed."""
    answer = student.answer(Request(name, args))
    got = expect.tensor(answer.value, what)
    expect.dtype(got, torch.float32, what)
    want = reference(*args)
    expect.allclose(got, want, what, size=float(want.abs().max()), setting="float32")
