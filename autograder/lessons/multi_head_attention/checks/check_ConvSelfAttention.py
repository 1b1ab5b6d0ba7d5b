"""ConvSelfAttention(channels, inner_channels)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    computed,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.multi_head_attention import references

NAME = "ConvSelfAttention"
WHAT = ("Y", "A")
C, INNER = 7, 3
#: (B, C, C', height, width), the smallest first. In the last ones, sizes that should be told apart are equal.
SHAPES = (
    (1, 1, 1, 1, 2),
    (1, 2, 1, 2, 1),
    (1, 2, 3, 2, 3),
    (2, 7, 3, 5, 4),
    (3, 5, 5, 2, 7),
    (2, 3, 11, 1, 5),
    (1, 5, 2, 1, 1),
    (2, 4, 4, 4, 4),
    (6, 3, 2, 2, 3),
)


def _twins(student: Student, draw: Draw, channels=C, inner=INNER, dtype=torch.float64):
    return ModulePair(student, NAME, (channels, inner), references.ConvSelfAttention(channels, inner), draw, dtype)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_Q, W_K and W_V are 1 × 1 convolutions from C to C′ channels, and W_O is one back to C, all with a bias"""
    has_parameters(student, NAME, (C, INNER), dict(references.ConvSelfAttention(C, INNER).named_parameters()))
    X = draw.normal(sizes.B, C, 2, 3)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y has the shape of X (B, C, height, width), and A is (B, N, N) with N = height · width"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, C, 5, 2)
    Y, A = expect.pair(twins.module(X), *WHAT)
    expect.shape(Y, X.shape, "Y", "(B, C, height, width)", f"X {tuple(X.shape)}")
    expect.shape(A, (sizes.B, 10, 10), "A", "(B, height · width, height · width)", f"X {tuple(X.shape)}")
    uses_its_inputs(twins.module, (X,), (X.square(),))


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Every position attends to all positions; W_O maps the result back to C channels, and X is added"""
    for B, channels, inner, height, width in SHAPES:
        twins = _twins(student, draw, channels, inner)
        X = draw.normal(B, channels, height, width)
        twins.agree(X, what=WHAT, setting=f"X {tuple(X.shape)}, C' = {inner}, float64")


@exercise(NAME)
@points(1)
def check_permutation_equivariance(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Permuting the positions of the feature map permutes the outputs in the same way"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, C, 5, 2)
    uses_its_inputs(twins.module, (X,), (X.square(),))
    order = draw.permutation(10)
    moved = X.flatten(2)[..., order].reshape(X.shape)
    Y, A = expect.pair(twins.module(X), *WHAT)
    Y_moved, A_moved = expect.pair(twins.module(moved), *WHAT)
    expect.shape(Y, X.shape, "Y", "(B, C, height, width)")
    computed(Y, X, "Y", "X")
    expect.shape(A, (sizes.B, 10, 10), "A", "(B, height · width, height · width)")
    setting = f"positions in the order {order.tolist()}"
    expect.allclose(A_moved, A[:, order][..., order].double(), "A", setting=setting)
    expect.allclose(Y_moved, Y.flatten(2)[..., order].reshape(X.shape).double(), "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all weights with the right values"""
    twins = _twins(student, draw)
    twins.gradients_agree(draw.normal(sizes.B, C, 3, 4), draw=draw, names=("X",), outputs=2)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 and for other memory layouts too, and the input is not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, C, 4, 3, dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.pair(twins.module(X), *WHAT)[0], torch.float32, "Y")
    same_twice(twins.module, X)
    no_side_effects(twins, [(draw.normal(1, C, 2, 2, dtype=torch.float32),), (2 * X,)], X, what=WHAT)
    channels_last = X.contiguous(memory_format=torch.channels_last)
    twins.agree(channels_last, what=WHAT, setting=f"X {tuple(X.shape)} in the memory format channels_last")
