"""EncoderBlock(model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu")."""

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
    raises_value_error,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.transformer_blocks import references
from autograder.lessons.transformer_blocks.checks import dropouts

NAME = "EncoderBlock"
D, H, HIDDEN = 22, 2, 17
WHAT = ("Y", "A")


def _twins(student, draw, more=(), dtype=torch.float64, width=D, num_heads=H, hidden=HIDDEN, weights=None):
    build = (width, num_heads, hidden, *more)
    return ModulePair(student, NAME, build, references.EncoderBlock(*build), draw, dtype, weights)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The parts are attention, feed_forward, norm_1 and norm_2, each with weights of its own"""
    for norm in ("post", "pre"):
        build = (D, H, HIDDEN, 0.0, norm)
        has_parameters(student, NAME, build, dict(references.EncoderBlock(*build).named_parameters()))
    X = draw.normal(sizes.B, sizes.N_X, D)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.flip(0),))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y has the shape of X (B, N, D), and A holds the weights of every head (B, H, N, N)"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, D)
    Y, A = expect.pair(twins.module(X), *WHAT)
    expect.shape(Y, X.shape, "Y", "(B, N, D)", f"X {tuple(X.shape)}")
    expect.shape(A, (sizes.B, H, sizes.N_X, sizes.N_X), "A", "(B, H, N, N)", f"X {tuple(X.shape)}")
    uses_its_inputs(twins.module, (X,), (X.flip(0),))


@exercise(NAME)
@points(2)
def check_post_norm(student: Student, sizes: Sizes, draw: Draw) -> None:
    """norm="post", the default: add, then normalise, after the attention and after the feed-forward layer"""
    for B, N in [(1, 1), (1, 2), (sizes.B, sizes.N_X)]:
        for more in ((), (0.0, "post", "gelu")):
            _twins(student, draw, more).agree(
                draw.normal(B, N, D), what=WHAT, setting=f'X {(B, N, D)}, norm="post"{", gelu" if more else ""}'
            )


@exercise(NAME)
@points(2)
def check_pre_norm(student: Student, sizes: Sizes, draw: Draw) -> None:
    """norm="pre": normalise what goes into each sub-layer, and add its result to what was not normalised"""
    for B, N in [(1, 1), (1, 2), (sizes.B, sizes.N_X)]:
        for activation in ("relu", "gelu"):
            _twins(student, draw, (0.0, "pre", activation)).agree(
                draw.normal(B, N, D, scale=2.0),
                what=WHAT,
                setting=f'X {(B, N, D)}, norm="pre", {activation}',
                size=10.0,
            )


@exercise(NAME)
@points(1)
def check_mask(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` reaches the attention, in any shape that broadcasts to (B, H, N, N)"""
    B, N = sizes.B, sizes.N_X
    for norm in ("post", "pre"):
        twins = _twins(student, draw, (0.0, norm))
        X = draw.normal(B, N, D)
        for shape in [(N, N), (B, 1, 1, N), (B, H, N, N)]:
            allowed = draw.allowed(*shape)
            twins.agree(X, allowed=allowed, what=WHAT, size=10.0, setting=f'allowed {shape}, norm="{norm}"')


@exercise(NAME)
@points(1)
def check_permutation_equivariance(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The block does not know the order: permuted inputs give permuted outputs"""
    for norm in ("post", "pre"):
        module = _twins(student, draw, (0.0, norm)).module
        X = draw.normal(sizes.B, sizes.N_K, D)
        order = draw.permutation(sizes.N_K)
        uses_its_inputs(module, (X,), (X.flip(0),))
        Y, Y_moved = (expect.pair(module(x), *WHAT)[0] for x in (X, X[:, order]))
        expect.shape(Y, X.shape, "Y", "(B, N, D)")
        computed(Y, X, "Y", "X")
        expect.allclose(Y_moved, Y[:, order].double(), "Y", size=10.0, setting=f"inputs in the order {order.tolist()}")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all weights with the right values"""
    for norm in ("post", "pre"):
        twins = _twins(student, draw, (0.0, norm, "gelu"))
        X = draw.normal(sizes.B, sizes.N_X, D)
        twins.gradients_agree(X, draw=draw, names=("X",), setting=f'norm="{norm}"')


@exercise(NAME)
@points(2)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, dropout acts inside both sub-layers and on what each of them adds; in eval mode nowhere"""
    names = ("attention", "feed_forward")
    X = draw.normal(dropouts.ROWS, 1, dropouts.WIDTH)
    for norm in ("pre", "post"):
        build = (dropouts.WIDTH, dropouts.HEADS, dropouts.WIDTH, dropouts.P, norm)
        reference = references.EncoderBlock(*build)
        weights = dropouts.telling_weights(reference, names)
        twins = ModulePair(student, NAME, build, reference, draw, weights=weights)
        twins.agree(X, what=WHAT, size=20.0, setting=f'eval mode, dropout={dropouts.P}, norm="{norm}"')
        if norm == "pre":
            Y, _ = expect.pair(twins.module.when(training=True)(X), *WHAT)
            expect.shape(Y, X.shape, "Y", "(B, N, D)", "training mode")
            dropouts.judge((Y.double() - X)[:, 0], names)
        else:
            dropouts.judge_before_the_norm(student, NAME, build, names, reference, (torch.zeros_like(X),))
        dropouts.judge_spread(
            ModulePair(student, NAME, build, reference, draw), (draw.normal(1, 3, dropouts.WIDTH),), WHAT, draw
        )


@exercise(NAME)
@points(1)
@promises
def check_arguments_and_repeatability(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Another `norm` raises an error; without dropout the same input gives the same output, in float32 too"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.pair(twins.module(X), *WHAT)[0], torch.float32, "Y")
    same_twice(twins.module, X)
    masked = X, draw.allowed(sizes.N_X, sizes.N_X)
    no_side_effects(twins, [(2 * X,), (X[:, :2],)], X, what=WHAT, masked=masked)
    raises_value_error(
        'norm="prae"',
        "A mistyped word should not pass unnoticed. Raise a ValueError for everything but the two words.",
        student.build(NAME, D, H, HIDDEN, 0.0, "prae"),
        X,
    )
