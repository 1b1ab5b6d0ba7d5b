"""gan_losses(real, fake)."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, alike, exercise, expect, points, promises
from autograder.lessons.vision_language import references

NAME = "gan_losses"
WHAT = ("The discriminator's loss", "The minimax loss of the generator", "The non-saturating loss of the generator")
#: (n, m): real and generated samples.
SIZES = ((1, 1), (2, 3), (7, 5), (5, 5), (1, 11))


def _losses(student: Student, real: Tensor, fake: Tensor, want: Sequence[Tensor], more: str = "", size: float = 4.0):
    setting = f"real {tuple(real.shape)}, fake {tuple(fake.shape)}{more}"
    if real.numel() + fake.numel() <= 4:
        setting += f": {real.tolist()}, {fake.tolist()}"
    alike(student.gan_losses(real, fake), tuple(want), WHAT, size, setting)


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """They are the means of −log D(x) and −log(1 − D(G(z))), together; of log(1 − D(G(z))); and of −log D(G(z))"""
    for n, m in SIZES:
        real, fake = draw.normal(n), draw.normal(m, scale=2.0)
        _losses(student, real, fake, references.gan_losses(real, fake))
        _losses(student, fake, real, references.gan_losses(fake, real))
    zeros = torch.zeros(3, dtype=torch.float64)
    two = torch.tensor(math.log(2), dtype=torch.float64)
    _losses(student, zeros, zeros, (2 * two, -two, two), ", D = 1/2 everywhere")


@exercise(NAME)
@points(2)
def check_large_logits(student: Student, draw: Draw) -> None:
    """For logits of ±300 and more, where D is 0 or 1 in floating point, all losses and gradients are finite and right"""
    for scale in (40.0, 300.0, 3000.0):
        for dtype in (torch.float64, torch.float32):
            real, fake = (draw.normal(7, dtype=dtype).sign() * scale for _ in range(2))
            want = references.gan_losses(real.double(), fake.double())
            _losses(student, real, fake, want, f", logits of ±{scale:.0f}, {dtype}", size=scale)
            _gradients(student, real, fake, draw, f"logits of ±{scale:.0f}, {dtype}")


def _gradients(student: Student, real: Tensor, fake: Tensor, draw: Draw, setting: str) -> None:
    leaves = [x.clone().requires_grad_() for x in (real, fake)]
    cotangents = tuple(draw.normal(dtype=real.dtype) for _ in range(3))
    losses = references.gan_losses(*leaves)
    total = torch.stack([loss * c for loss, c in zip(losses, cotangents, strict=True)]).sum()
    want = torch.autograd.grad(total, leaves)
    found = student.answer(Request(NAME, (real, fake), cotangents=cotangents)).gradients
    expect.gradients(found[:2], want, ("real", "fake"), setting)


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_nothing_is_changed(student: Student, draw: Draw) -> None:
    """Gradients are right, the dtype is kept, and the logits stay as they are"""
    real, fake = draw.normal(7), draw.normal(5, scale=2.0)
    _gradients(student, real, fake, draw, "logits of about ±1")
    answer = student.answer(Request(NAME, (real.float(), fake.float())))
    alike(answer.value, references.gan_losses(real, fake), WHAT, 4.0, "float32")
    for value, what in zip(answer.value, WHAT, strict=True):
        expect.dtype(value, torch.float32, what)
