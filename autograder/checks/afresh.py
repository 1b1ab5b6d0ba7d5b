"""Detect a function that caches results instead of computing every call from its inputs."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from autograder.checks import expect
from autograder.checks.draw import Draw
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Request, Student


def computes_afresh(
    student: Student,
    name: str,
    reference: Callable[..., Tensor],
    inputs: Sequence[Tensor],
    draw: Draw,
    first: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Compare a call with the reference, by itself and after two calls with other numbers in the same tensors.

    ``first`` takes what is compared from what the student's function returns.
    """
    want = reference(*inputs)
    expect.close(expect.tensor(first(student.call(name, *inputs)), "Y"), want, "Y", setting="the first call")
    others = tuple(tuple(draw.normal(*x.shape, dtype=x.dtype) for x in inputs) for _ in range(2))
    value = first(student.answer(Request(name, tuple(inputs), before=others)).value)
    try:
        expect.close(expect.tensor(value, "Y"), want, "Y", setting="the same tensors, new numbers")
    except CheckFailure as failure:
        failure.kind, failure.cause = "memory", "results remembered"
        failure.hint = (
            "The first call was right; a later one uses what was computed before. Compute every call from its inputs."
        )
        raise
