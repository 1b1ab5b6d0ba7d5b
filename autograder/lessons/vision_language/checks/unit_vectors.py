"""Shared parts of the checks of functions of unit vectors."""

from collections.abc import Callable, Collection, Sequence

import torch
from torch import Tensor

from autograder.checks import Request, Student, expect


def unit(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True)


def gradients_agree(
    student: Student,
    name: str,
    args: tuple,
    reference: Callable[..., Tensor],
    cotangent: Tensor,
    names: Sequence[str],
    units: Collection[str],
) -> None:
    """Compare the gradients of the floating-point arguments, those in ``units`` along the sphere on which they lie.

    A function of vectors of length 1 may normalise them once more. The values are the same then, and only the part of the
    gradient that would change the length differs; no encoder that ends in a normalisation passes that part on.
    """
    leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in args]
    wanted = [x for x in leaves if x.requires_grad]
    want = torch.autograd.grad((reference(*leaves) * cotangent).sum(), wanted)
    found = student.answer(Request(name, args, cotangents=(cotangent,))).gradients
    pairs = [
        [_along_the_sphere(g, x) if each in units else g for g, x, each in zip(some, wanted, names, strict=True)]
        for some in (found, want)
    ]
    setting = (
        f"{names[0]} {tuple(wanted[0].shape)}, gradients of {' and '.join(units)} without the part along the vector"
    )
    expect.gradients(pairs[0], [g for g in pairs[1] if g is not None], names, setting)


def _along_the_sphere(gradient: Tensor | None, x: Tensor) -> Tensor | None:
    """Return the gradient without the part that would change the lengths of the rows of ``x``, which are 1."""
    if gradient is None or gradient.shape != x.shape:
        return gradient
    return gradient - (gradient * x.detach()).sum(dim=-1, keepdim=True) * x.detach()
