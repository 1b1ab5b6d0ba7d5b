"""balance_loss(logits, k=1)."""

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)
from autograder.lessons.modern_attention import references

NAME = "balance_loss"
WHAT = "The loss"
#: Shares may be counted in float32 whatever the dtype of the logits, so numbers are compared in float32.
F32 = torch.float32


def _agree(
    student: Student, logits: Tensor, k: int | None = None, setting: str = "", want: float | None = None
) -> Tensor:
    got = expect.tensor(student.call(NAME, logits) if k is None else student.call(NAME, logits, k), WHAT)
    expect.shape(got, (), WHAT, "one number")
    right = references.balance_loss(logits, k or 1) if want is None else torch.tensor(want, dtype=logits.dtype)
    said = f"logits {tuple(logits.shape)}" + ("" if k is None else f", k = {k}") + (f", {setting}" if setting else "")
    expect.allclose(got, right, WHAT, size=4.0, setting=said)
    return got


def _one_for_each(N: int, E: int, high: float) -> Tensor:
    """Return logits (N, E) in which row i has chosen expert i mod E."""
    logits = torch.zeros(N, E, dtype=F32)
    logits[torch.arange(N), torch.arange(N) % E] = high
    return logits


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The loss is E times the sum of the products of the shares f and the mean probabilities P, for k = 1 and more"""
    for N, E in [(1, 5), (11, 5), (13, 2), (7, 11), (3, 1)]:
        _agree(student, draw.normal(N, E, scale=2.0, dtype=F32))
    for k in (1, 2, 3, 5):
        _agree(student, draw.normal(11, 5, scale=2.0, dtype=F32), k)
    one, other = (expect.tensor(student.call(NAME, draw.normal(11, 5, dtype=F32)), WHAT) for _ in range(2))
    expect.depends_on_its_inputs(one, other, WHAT)


@exercise(NAME)
@points(1)
def check_balanced_and_collapsed(student: Student, draw: Draw) -> None:
    """It is 1 if all experts have the same share, whatever k, and E if one expert has all"""
    for E in (3, 7):
        _agree(student, _one_for_each(4 * E, E, 5.0), setting="every expert is chosen equally often", want=1.0)
        collapsed = torch.zeros(11, E, dtype=F32)
        collapsed[:, 1] = 60.0
        _agree(student, collapsed, setting="all rows have chosen expert 1, with certainty", want=float(E))
    for k in (2, 3):
        turns = torch.stack([torch.arange(7.0, dtype=F32).roll(n) for n in range(7)])
        _agree(student, turns, k, "every expert is chosen equally often", 1.0)
    # The balanced value must not come from anywhere: an unbalanced row has another one.
    _agree(student, draw.normal(11, 7, scale=2.0, dtype=F32), 2)


@exercise(NAME)
@points(1)
def check_leading_axes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With more axes all rows count together: two sequences that choose different experts are balanced"""
    logits = draw.normal(2, 3, 11, 5, scale=2.0, dtype=F32)
    _agree(student, logits, 2)
    both = torch.zeros(2, 11, 2, dtype=F32)
    both[0, :, 0] = both[1, :, 1] = 60.0
    _agree(student, both, setting="each of two sequences has chosen one of two experts", want=1.0)
    _agree(student, both[:1], setting="one sequence has chosen one of two experts", want=2.0)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradient flows back through the probabilities"""
    for k in (1, 2):
        logits = draw.normal(11, 5, dtype=F32)
        answer = student.answer(Request(NAME, (logits, k), cotangents=(torch.ones((), dtype=F32),)))
        leaf = logits.clone().requires_grad_()
        want = torch.autograd.grad(references.balance_loss(leaf, k), leaf)
        expect.gradients(answer.gradients[:1], want, ("logits",), f"logits (11, 5), k = {k}")


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The logits are not changed, dtype and device are kept, and logits of a thousand give the right loss"""
    got = _agree(student, draw.normal(11, 5, dtype=F32), 2, "float32")
    expect.dtype(got, F32, WHAT)
    _agree(student, draw.normal(11, 5, scale=1000.0, dtype=F32), 2, "logits of about 1000")
    exact = expect.tensor(student.call(NAME, draw.normal(11, 5)), WHAT)
    expect.dtype(exact, torch.float64, WHAT)
    function_works_where_its_inputs_are(student, NAME, draw.normal(11, 5, dtype=F32))
