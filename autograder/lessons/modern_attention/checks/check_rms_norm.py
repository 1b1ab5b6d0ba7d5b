"""rms_norm(X, gamma, eps=1e-6)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks import Draw, Request, Sizes, Student, exercise, expect, points, promises

NAME = "rms_norm"
WIDTH = 11


def _compare(student: Student, X: Tensor, gamma: Tensor, eps: float | None = None, setting: str = "") -> Tensor:
    """Compare with PyTorch's own rms_norm in float64."""
    Y = expect.tensor(student.rms_norm(X, gamma) if eps is None else student.rms_norm(X, gamma, eps), "Y")
    want = F.rms_norm(X.double(), X.shape[-1:], gamma.double(), 1e-6 if eps is None else eps)
    expect.shape(Y, X.shape, "Y", "the shape of X", setting)
    size = max(4.0, float(want.abs().max()))
    expect.allclose(Y, want, "Y", size=size, setting=setting or f"X {tuple(X.shape)}, {X.dtype}", inputs=X.dtype)
    return Y


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Every row is divided by the root of the mean of its squares, over the last axis only, and multiplied by γ"""
    # The smallest example: the mean of 1 and 49 is 25.
    _compare(student, torch.tensor([[1.0, 7.0]], dtype=torch.float64), torch.ones(2, dtype=torch.float64), 0.0)
    for shape in [
        (WIDTH,),
        (sizes.N_X, WIDTH),
        (sizes.B, sizes.N_X, WIDTH),
        (2, 3, 5, 7),
        (WIDTH, WIDTH),
        (1, 1, 3),
        (131, 137),
    ]:
        _compare(student, 1 + draw.normal(*shape, scale=2.0), draw.normal(shape[-1]))
    X = draw.normal(sizes.B, WIDTH, sizes.N_X).mT
    _compare(student, X, draw.normal(WIDTH), setting="a transposed X, whose memory has gaps")


@exercise(NAME)
@points(1)
def check_scale_of_the_rows(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Rows of any size come out with a root mean square of 1, if γ is 1"""
    ones = torch.ones(WIDTH, dtype=torch.float64)
    for scale in (1e-2, 1.0, 1e2):
        X = draw.normal(sizes.N_X, WIDTH, scale=scale)
        _compare(student, X, ones, 1e-12, setting=f"numbers of size {scale:g}, γ = 1, eps = 1e-12")


@exercise(NAME)
@points(1)
def check_epsilon(student: Student, sizes: Sizes, draw: Draw) -> None:
    """ε is added to the mean of the squares under the root; `eps` sets it, and its default is 1e-6"""
    gamma = 1 + draw.normal(3, scale=0.1)
    small = draw.normal(2, 3, scale=1e-3)
    for eps in (None, 1e-6, 0.25):
        for X in (torch.zeros_like(small), small, 300 * small, torch.cat([small, 1e6 * small])):
            _compare(student, X, gamma, eps, setting=f"numbers up to {float(X.abs().max()):.2g}, eps = {eps or 1e-6}")


@exercise(NAME)
@points(1)
def check_half_precision(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In float16 and bfloat16 the squares neither overflow nor vanish, and the result has the dtype of X"""
    for dtype in (torch.float16, torch.bfloat16):
        gamma = (1 + draw.normal(WIDTH, scale=0.1)).to(dtype)
        # Between 1 and 2 times the size, so that every square is far from what float16 can hold, and larger from row to row.
        rows = (1 + draw.integers(64, sizes.N_X, WIDTH) / 64) * torch.arange(1.0, 1 + sizes.N_X)[:, None]
        for scale in (1e-4, 1.0, 300.0):
            X = (scale * rows).to(dtype)
            Y = _compare(student, X, gamma, 1e-12, setting=f"numbers of size {scale:g}, eps = 1e-12, {dtype}")
            expect.dtype(Y, dtype, "Y", f"X and gamma in {dtype}")
        # The two smallest numbers of float16, between whose root and the next number of float16 lies a quarter of it.
        smallest, ones = torch.tensor([[2.0**-24, 2.0**-23]], dtype=dtype), torch.ones(2, dtype=dtype)
        _compare(student, smallest, ones, 0.0, setting=f"X = [2^-24, 2^-23], eps = 0, {dtype}")


@exercise(NAME)
@points(1)
@promises
def check_dtype_is_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """float32 stays float32, float64 stays float64 to its last digits, and X is not changed"""
    for dtype in (torch.float32, torch.float64):
        X, gamma = draw.normal(sizes.N_X, WIDTH, dtype=dtype), draw.normal(WIDTH, dtype=dtype)
        Y = _compare(student, X, gamma)
        expect.dtype(Y, dtype, "Y")
        expect.depends_on_its_inputs(Y, expect.tensor(student.rms_norm(X.square(), gamma), "Y"), "Y")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and γ with the right values (the root mean square depends on X too)"""
    X, gamma, G = draw.normal(sizes.N_X, WIDTH), draw.normal(WIDTH), draw.normal(sizes.N_X, WIDTH)
    answer = student.answer(Request(NAME, (X, gamma), cotangents=(G,)))
    leaves = X.clone().requires_grad_(), gamma.clone().requires_grad_()
    want = torch.autograd.grad((F.rms_norm(leaves[0], (WIDTH,), leaves[1], 1e-6) * G).sum(), leaves)
    expect.gradients(answer.gradients, want, ("X", "gamma"), f"X {tuple(X.shape)}, float64")
