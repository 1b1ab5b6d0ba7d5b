"""dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta)."""

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises, raises_value_error
from autograder.lessons.in_context_learning import references

Pairs = tuple[Tensor, Tensor, Tensor, Tensor]
NAME = "dpo_loss"
WHAT = "The loss"
#: Numbers of pairs, and the strength of the pull towards the reference.
SIZES, BETAS = (1, 2, 3, 7, 101), (0.1, 1.0, 3.0)


def _pairs(draw: Draw, B: int, scale: float = 2.0) -> Pairs:
    """Draw the log-probabilities of whole answers, (B,) each: under the model and the reference, chosen and rejected.

    ``F.softplus`` is a straight line from 20 on, which float64 notices: with the usual scale, beta times the margin stays below.
    """
    first, second, third, fourth = (-abs(draw.normal(B, scale=scale)) - 5.0 for _ in range(4))
    return first, second, third, fourth


def _mapped(change: Callable[[Tensor], Tensor], pairs: Pairs) -> Pairs:
    first, second, third, fourth = map(change, pairs)
    return first, second, third, fourth


def _agree(student: Student, pairs: Pairs, beta: float, more: str = "") -> Tensor:
    shown = "" if len(pairs[0]) > 2 else f": {', '.join(str([round(float(x), 2) for x in each]) for each in pairs)}"
    setting = f"{len(pairs[0])} pairs, beta = {beta:g}{more}{shown}"
    loss = expect.tensor(student.dpo_loss(*pairs, beta), WHAT)
    expect.shape(loss, (), WHAT, "one number", setting)
    want = references.dpo_loss(*_mapped(Tensor.double, pairs), beta)
    size = max(4.0, 4 * float(want)) if pairs[0].dtype == torch.float64 else max(256.0, 16 * float(want))
    expect.allclose(loss, want, WHAT, size=size, setting=setting)
    return loss


@exercise(NAME)
@points(1)
def check_values(student: Student, draw: Draw) -> None:
    """It is the mean of −log σ of beta times how much more the model has moved to the chosen answers than to the rejected ones"""
    for B in SIZES:
        for beta in BETAS:
            _agree(student, _pairs(draw, B, 2.0 / max(beta, 1.0)), beta)


@exercise(NAME)
@points(1)
def check_the_reference(student: Student, draw: Draw) -> None:
    """A model that is its own reference has the loss log 2, and any size of the differences gives the right number"""
    chosen, rejected, *_ = _pairs(draw, 7)
    for beta in BETAS:
        loss = _agree(
            student, (chosen, rejected, chosen.clone(), rejected.clone()), beta, ", the model is the reference"
        )
        expect.allclose(loss, torch.tensor(math.log(2), dtype=torch.float64), WHAT, size=4.0)
    for scale in (100.0, 3000.0):
        for dtype in (torch.float64, torch.float32):
            pairs = _mapped(functools.partial(Tensor.to, dtype=dtype), _pairs(draw, 11, scale))
            _agree(student, pairs, 1.0, f", differences of {scale:g}, {dtype}")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients with respect to the chosen and the rejected answers are right"""
    for B in SIZES[:4]:
        pairs = _pairs(draw, B)
        leaves = [x.clone().requires_grad_() for x in pairs[:2]]
        want = torch.autograd.grad(references.dpo_loss(leaves[0], leaves[1], pairs[2], pairs[3], 0.5), leaves)
        answer = student.answer(Request(NAME, (*pairs, 0.5), cotangents=(torch.ones((), dtype=torch.float64),)))
        expect.gradients(answer.gradients[:2], want, ("chosen", "rejected"), f"{B} pairs, beta = 0.5")


@exercise(NAME)
@points(1)
@promises
def check_at_the_border(student: Student, draw: Draw) -> None:
    """A beta of 0 or below is refused; the dtype is kept, and nothing is remembered or changed"""
    pairs = _pairs(draw, 5)
    expect.dtype(_agree(student, _mapped(Tensor.float, pairs), 0.5, ", float32"), torch.float32, WHAT)
    for beta in (0.0, -0.5):
        raises_value_error(f"beta = {beta:g}", "Test beta, and raise a ValueError.", student.dpo_loss, *pairs, beta)
    answer = student.answer(Request(NAME, (*pairs, 0.5), before=[(*(x.flip(0) for x in pairs), 2.0)]))
    want = references.dpo_loss(*pairs, 0.5)
    expect.allclose(expect.tensor(answer.value, WHAT), want, WHAT, size=4.0, setting="after other calls")
