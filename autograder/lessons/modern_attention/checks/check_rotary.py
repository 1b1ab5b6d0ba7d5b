"""rotary(X, positions, base=10000.0, layout="half", rotated=None)."""

import math

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Sizes,
    Student,
    computes,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
    raises_value_error,
)

NAME = "rotary"
WIDTH = 10
LAYOUTS = ("half", "interleaved")


def _want(X: Tensor, positions: Tensor, base: float = 10000.0, layout: str = "half", rotated: int | None = None):
    """The definition, pair by pair, in float64."""
    X, D = X.double().clone(), rotated or X.shape[-1]
    turned = X.clone()
    for i in range(D // 2):
        a, b = (i, i + D // 2) if layout == "half" else (2 * i, 2 * i + 1)
        for n, position in enumerate(positions.tolist()):
            angle = position * base ** (-2 * i / D)
            cos, sin = math.cos(angle), math.sin(angle)
            turned[..., n, a] = X[..., n, a] * cos - X[..., n, b] * sin
            turned[..., n, b] = X[..., n, a] * sin + X[..., n, b] * cos
    return turned


def _compare(student: Student, X: Tensor, positions: Tensor, size: float = 4.0, **options) -> Tensor:
    said = ", ".join(f"{name}={value!r}" for name, value in options.items()) or "no options"
    setting = f"X {tuple(X.shape)}, positions {_shown(positions)}, {said}, {X.dtype}"
    Y = expect.tensor(student.rotary(X, positions, **options), "The result")
    expect.shape(Y, X.shape, "The result", "the shape of X", setting)
    expect.allclose(Y, _want(X, positions, **options), "The result", size=size, setting=setting, inputs=X.dtype)
    return Y


def _shown(positions: Tensor) -> str:
    first = positions.tolist()[:3]
    return ", ".join(map(str, first)) + (", …" if len(positions) > 3 else "")


@exercise(NAME)
@points(2)
def check_halves(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Layout "half": columns i and i + D/2 are a pair, turned by position · base^(−2i/D)"""
    _compare(student, torch.tensor([[1.0, 0.0]], dtype=torch.float64), torch.tensor([1]))
    for lead, N, D in [
        ((), 3, 4),
        ((sizes.B, sizes.H), sizes.N_Q, WIDTH),
        ((3,), 3, 6),
        ((1, 1), 1, WIDTH),
        ((), 131, 2),
    ]:
        _compare(student, draw.normal(*lead, N, D), torch.arange(N))
    X = draw.normal(sizes.B, WIDTH, sizes.N_Q).mT
    _compare(student, X, torch.arange(sizes.N_Q), layout="half")


@exercise(NAME)
@points(2)
def check_interleaved(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Layout "interleaved": columns 2i and 2i + 1 are a pair, and the result has their order"""
    for lead, N, D in [((), 3, 4), ((sizes.B, sizes.H), sizes.N_Q, WIDTH), ((3,), 3, 6), ((1, 1), 1, WIDTH)]:
        _compare(student, draw.normal(*lead, N, D), torch.arange(N), layout="interleaved")


@exercise(NAME)
@points(1)
def check_positions(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The angles are those of the positions that are passed: not from 0 on, with gaps, in any order"""
    for positions in ([7], [50, 51, 52], [3, 0, 11, 3], [100, 5, 77]):
        for layout in LAYOUTS:
            X = draw.normal(sizes.B, sizes.H, len(positions), WIDTH)
            _compare(student, X, torch.tensor(positions), layout=layout)


@exercise(NAME)
@points(1)
def check_only_the_distance_counts(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The product of a turned query and a turned key depends on the distance of their positions only; lengths are kept"""
    q, k = draw.normal(1, WIDTH), draw.normal(1, WIDTH)
    for layout in LAYOUTS:
        scores = []
        for m, n in [(0, 3), (5, 8), (1017, 1020), (3, 0)]:
            Q, K = (
                expect.tensor(student.rotary(x, torch.tensor([at]), layout=layout), "The result")
                for x, at in ((q, m), (k, n))
            )
            for turned, x in ((Q, q), (K, k)):
                expect.shape(turned, (1, WIDTH), "The result", "the shape of X")
                expect.allclose(
                    turned.double().norm(), x.norm(), "The length of a turned row", setting=layout, size=9.0
                )
            scores.append((Q.double() * K.double()).sum())
        for shifted in scores[1:3]:
            expect.allclose(
                shifted,
                scores[0],
                "The score at the same distance",
                size=40.0,
                setting=f"layout {layout!r}, distance 3",
            )
        if abs(float(scores[3] - scores[0])) < 1e-9:
            raise CheckFailure(
                "constant",
                "The score does not depend on the distance at all.",
                setting=f"layout {layout!r}, distances 3 and −3",
                received="constant",
                cause="positions ignored",
                hint="Look at where the positions enter the angles.",
            )


@exercise(NAME)
@points(1)
def check_far_positions(student: Student, sizes: Sizes, draw: Draw) -> None:
    """At position 1,000,000, in float32 too, the angles are exact: they are computed in float64"""
    positions = torch.tensor([999_983, 1_000_000, 4095])
    for dtype in (torch.float32, torch.bfloat16):
        for layout in LAYOUTS:
            _compare(student, draw.normal(3, WIDTH, dtype=dtype), positions, layout=layout)


@exercise(NAME)
@points(1)
def check_base_and_partial_rotation(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`base` sets the frequencies, and only the first `rotated` columns turn, with the frequencies of that width"""
    positions = torch.arange(3, 3 + sizes.N_Q)
    X = draw.normal(sizes.B, sizes.N_Q, WIDTH)
    for layout in LAYOUTS:
        _compare(student, X, positions, base=500000.0, layout=layout)
        for rotated in (4, 6, WIDTH):
            _compare(student, X, positions, layout=layout, rotated=rotated)
        _compare(student, X, positions, base=100.0, layout=layout, rotated=6)


@exercise(NAME)
@points(1)
def check_unknown_layout(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A layout of another name raises ValueError"""
    X, positions = draw.normal(sizes.N_Q, WIDTH), torch.arange(sizes.N_Q)
    computes(student.rotary, (X, positions), (X.square(), positions), "The result")
    hint = "A mistyped name should not pass unnoticed."
    for layout in ("halves", ""):
        raises_value_error(f"layout={layout!r}", hint, student.rotary, X, positions, 10000.0, layout)


@exercise(NAME)
@points(1)
@promises
def check_gradient_and_dtype(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradient flows back to X, the dtype and the device are kept, and nothing passed is changed"""
    positions = torch.arange(2, 2 + sizes.N_Q)
    for layout in LAYOUTS:
        X, G = draw.normal(sizes.H, sizes.N_Q, WIDTH), draw.normal(sizes.H, sizes.N_Q, WIDTH)
        answer = student.answer(Request(NAME, (X, positions), {"layout": layout}, cotangents=(G,)))
        leaf = X.clone().requires_grad_()
        want = torch.autograd.grad((_want(leaf, positions, layout=layout) * G).sum(), leaf)
        expect.gradients(answer.gradients[:1], want, ("X",), f"layout {layout!r}")
        for dtype in (torch.float32, torch.bfloat16):
            expect.dtype(_compare(student, X.to(dtype), positions, layout=layout), dtype, "The result")
    function_works_where_its_inputs_are(student, NAME, draw.normal(sizes.N_Q, WIDTH), positions)
