"""flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False) -> (dQ, dK, dV)."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Sizes, Student, all_of, exercise, expect, measured, points, promises
from autograder.lessons.attention_kernels import references

NAME = "flash_backward"
GRADIENTS = ("dQ", "dK", "dV")
#: N_Q, N_K, block_q, block_k.
CASES = ((1, 1, 16, 16), (8, 8, 4, 4), (5, 7, 4, 4), (17, 17, 3, 7), (17, 17, 7, 3), (5, 23, 2, 7), (13, 13, 64, 64))


def _inputs(draw: Draw, *lead: int, N_Q: int, N_K: int, causal: bool = False, dtype: torch.dtype = torch.float64):
    """Return Q, K, V, Y, L and dY."""
    D, D_V = 11, 13
    Q, K, V, dY = (draw.normal(*lead, *shape) for shape in ((N_Q, D), (N_K, D), (N_K, D_V), (N_Q, D_V)))
    Y, L = references.flash_forward(Q, K, V, causal=causal)
    return tuple(x.to(dtype) for x in (Q, K, V, Y, L, dY))


def _want(inputs: tuple, causal: bool) -> tuple[Tensor, ...]:
    """Return the gradients by autograd through the whole matrix."""
    Q, K, V = (x.double().clone().requires_grad_() for x in inputs[:3])
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if causal:
        E = E.masked_fill(~references.causal_mask(*E.shape[-2:]), -1e30)
    A = torch.softmax(E, -1)
    if causal:
        A = A * references.causal_mask(*E.shape[-2:])
    return torch.autograd.grad(((A @ V) * inputs[5].double()).sum(), (Q, K, V))


def _setting(inputs: tuple, **options: Any) -> str:
    given = ", ".join(f"{key}={value}" for key, value in options.items())
    return f"N_Q = {inputs[0].shape[-2]}, N_K = {inputs[1].shape[-2]}, {given or 'defaults'}, {inputs[0].dtype}"


def _compare(student: Student, inputs: tuple, which: tuple[str, ...] = GRADIENTS, more: str = "", **options: Any):
    got = all_of(student.call(NAME, *inputs, **options), GRADIENTS)
    want = dict(zip(GRADIENTS, _want(inputs, options.get("causal", False)), strict=True))
    for value, name in zip(got, GRADIENTS, strict=True):
        if name in which:
            size = max(4.0, float(want[name].abs().max()))
            expect.allclose(value, want[name], name, size=size, setting=_setting(inputs, **options) + more)
    return got


def _all(student: Student, draw: Draw, which: tuple[str, ...], causal: bool, *lead: int) -> None:
    for N_Q, N_K, block_q, block_k in CASES:
        inputs = _inputs(draw, *lead, N_Q=N_Q, N_K=N_K, causal=causal)
        _compare(student, inputs, which, block_q=block_q, block_k=block_k, causal=causal)


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """dV is right without a mask, for any lengths and tiles"""
    _all(student, draw, ("dV",), False, sizes.B)


@exercise(NAME)
@points(2)
def check_queries_and_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """dQ and dK are right without a mask"""
    _all(student, draw, ("dQ", "dK"), False, sizes.B)


@exercise(NAME)
@points(2)
def check_part_of_the_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Weights come from L, and Δ from Y: with a part of the keys, and Y and L of all, come this part's shares of the gradients"""
    inputs = _inputs(draw, sizes.B, N_Q=7, N_K=23)
    Q, K, V, *rest = inputs
    dQ, dK, dV = _want(inputs, False)
    sums = torch.zeros_like(dQ)
    for part in (slice(0, 9), slice(9, 23)):
        given = (Q, K[..., part, :], V[..., part, :], *rest)
        own, *others = all_of(student.call(NAME, *given, block_q=4, block_k=5), GRADIENTS)
        setting = f"{_setting(given, block_q=4, block_k=5)}; Y and L are those of 23 keys"
        for value, want, name in zip(others, (dK[..., part, :], dV[..., part, :]), GRADIENTS[1:], strict=True):
            expect.allclose(value, want, name, size=max(4.0, float(want.abs().max())), setting=setting)
        expect.shape(own, dQ.shape, "dQ", "(..., N_Q, D)", setting)
        sums = sums + own
    setting = "7 queries, 23 keys in two parts; the sum of both parts' dQ"
    expect.allclose(sums, dQ, "dQ", size=max(4.0, float(dQ.abs().max())), setting=setting)


@exercise(NAME)
@points(1)
def check_causal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With causal=True all three are right, also with N_Q ≠ N_K"""
    _all(student, draw, GRADIENTS, True, sizes.B)


@exercise(NAME)
@points(1)
def check_rows_without_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Rows that see no key have zero gradients and add nothing"""
    for N_Q, N_K in ((11, 5), (7, 3)):
        inputs = _inputs(draw, sizes.B, N_Q=N_Q, N_K=N_K, causal=True)
        for block in (2, 16):
            _compare(student, inputs, block_q=block, block_k=block, causal=True)


@exercise(NAME)
@points(1)
@promises
def check_layouts_of_the_gradient(student: Student, sizes: Sizes, draw: Draw) -> None:
    """dY may be expanded, transposed or cut from a larger tensor; the dtype is kept, and no argument is changed"""
    inputs = _inputs(draw, N_Q=7, N_K=9)
    other = draw.normal(7, 1)
    for dY, layout in (
        (other.expand(7, 13), "expanded"),
        (draw.normal(13, 7).mT, "transposed"),
        (draw.normal(7, 26)[:, ::2], "every second column"),
    ):
        _compare(student, (*inputs[:5], dY), more=f", dY {layout}", block_q=4, block_k=4)
    for dtype in (torch.float32, torch.float64):
        for value, name in zip(
            _compare(student, _inputs(draw, sizes.B, N_Q=5, N_K=7, dtype=dtype)), GRADIENTS, strict=True
        ):
            expect.dtype(value, dtype, name)


@exercise(NAME)
@points(1)
@measured
def check_memory(student: Student, draw: Draw) -> None:
    """No matrix of N_Q × N_K is in memory at any time"""
    N = 3072  # a whole matrix has 36 MiB, which no pool of an allocator hides
    _compare(student, _inputs(draw, N_Q=5, N_K=23))
    peak = student.peak_memory(NAME, lambda: _inputs(draw, N_Q=N, N_K=N, dtype=torch.float32), block_q=256, block_k=256)
    if peak > N * N:
        raise CheckFailure(
            "memory",
            "Too much memory is held at once.",
            setting=f"N = {N}, tiles of 256, float32",
            expected=f"at most {N * N / 2**20:.0f} MiB, a quarter of one whole matrix",
            yours=f"{peak / 2**20:.1f} MiB",
            received="memory",
            cause="the whole N × N matrix is in memory",
            hint="Somewhere a tensor has both N queries and N keys. Handle one tile at a time.",
        )
