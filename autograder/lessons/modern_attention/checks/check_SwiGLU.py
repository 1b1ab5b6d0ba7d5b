"""SwiGLU(width, hidden_width=None)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.modern_attention import references

NAME = "SwiGLU"
WIDTH, HIDDEN = 11, 17
WHAT = ("The result",)


def _twins(student, draw, build=(WIDTH, HIDDEN), dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.SwiGLU(*build), draw, dtype, weights)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_gate and W_up map from width to hidden_width, W_down back, all without a bias"""
    has_parameters(student, NAME, (WIDTH, HIDDEN), dict(references.SwiGLU(WIDTH, HIDDEN).named_parameters()))
    X = draw.normal(sizes.N_X, WIDTH)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(1)
def check_hidden_width(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without hidden_width it is 8/3 of the width, rounded up to a multiple of 8"""
    # 24 is a multiple of 3 and 8; of the others 8/3 is no whole number, or no multiple of 8.
    for width in (24, 1, 3, 7, 16, 23):
        has_parameters(student, NAME, (width,), dict(references.SwiGLU(width).named_parameters()))
    X = draw.normal(sizes.N_X, 7)
    uses_its_inputs(_twins(student, draw, (7,)).module, (X,), (X.square(),))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_down of the product of the activated gate and the proposals, on every row by itself, with any leading axes"""
    for width, hidden in [(1, 1), (2, 3), (WIDTH, HIDDEN), (7, 7)]:
        for lead in [(), (sizes.N_X,), (sizes.B, sizes.N_X), (2, 3, 5)]:
            _twins(student, draw, (width, hidden)).agree(draw.normal(*lead, width, scale=2.0), what=WHAT)
    twins = _twins(student, draw)
    twins.agree(draw.normal(sizes.B, WIDTH, sizes.N_X).mT, what=WHAT, setting="a transposed X, whose memory has gaps")


@exercise(NAME)
@points(1)
def check_gate_opens_and_closes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A gate far below 0 lets nothing pass, one far above 0 lets the proposals pass in proportion to it"""
    X = draw.normal(sizes.N_X, WIDTH).abs() + 1
    for sign, name in ((-1.0, "closed"), (1.0, "open")):
        weights = {"W_gate.weight": sign * 9 * torch.ones(HIDDEN, WIDTH, dtype=torch.float64)}
        twins = _twins(student, draw, weights=weights)
        twins.agree(X, what=WHAT, size=300.0, setting=f"every gate {name}: W_gate x is beyond {sign * 99:g}")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all three maps with the right values"""
    _twins(student, draw).gradients_agree(draw.normal(sizes.B, sizes.N_X, WIDTH), draw=draw, names=("X",))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 too, and the input is not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH, dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.tensor(twins.module(X), "The result"), torch.float32, "The result")
    same_twice(twins.module, X)
    no_side_effects(twins, [(2 * X,), (X[:1],)], X, what=WHAT)
