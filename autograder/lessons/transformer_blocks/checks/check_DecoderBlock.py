"""DecoderBlock(model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu")."""

import torch

from autograder.checks import (
    CheckFailure,
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
    raises_value_error,
    same_twice,
    sees_what_came_before,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.lessons.transformer_blocks import references
from autograder.lessons.transformer_blocks.checks import dropouts

NAME = "DecoderBlock"
D, H, HIDDEN = 22, 2, 17
WHAT = ("Y", "A of the self-attention", "A of the cross-attention")
NAMES = ("self_attention", "cross_attention", "feed_forward")


def _twins(student, draw, more=(), dtype=torch.float64):
    build = (D, H, HIDDEN, *more)
    return ModulePair(student, NAME, build, references.DecoderBlock(*build), draw, dtype)


def _inputs(draw: Draw, sizes: Sizes, B=None, N=None, N_M=None, dtype=torch.float64):
    """Return X (B, N, D) and memory (B, N_M, D), of different lengths."""
    B, N, N_M = B or sizes.B, N or sizes.N_X, N_M or sizes.N_K
    return draw.normal(B, N, D, dtype=dtype), draw.normal(B, N_M, D, dtype=dtype)


def _pieces(value):
    """Return (Y, A_self, A_cross) of a result."""
    if (
        not isinstance(value, tuple | list)
        or len(value) != 2
        or not isinstance(value[1], tuple | list)
        or len(value[1]) != 2
    ):
        raise CheckFailure(
            "type",
            "The result should be (Y, (A_self, A_cross)).",
            received=type(value).__name__,
            cause="wrong number of results",
            hint="Return a pair whose second part is the pair of both attentions' weights.",
        )
    return value[0], *value[1]


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The parts are self_attention, cross_attention, feed_forward, norm_1, norm_2 and norm_3, each with weights of its own"""
    for norm in ("post", "pre"):
        build = (D, H, HIDDEN, 0.0, norm)
        has_parameters(student, NAME, build, dict(references.DecoderBlock(*build).named_parameters()))
    X, memory = _inputs(draw, sizes)
    uses_its_inputs(_twins(student, draw).module, (X, memory), (X, memory.flip(0)))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y has the shape of X; the weights are (B, H, N, N) over X and (B, H, N, N_M) over the memory"""
    twins = _twins(student, draw)
    X, memory = _inputs(draw, sizes)
    Y, A_self, A_cross = _pieces(twins.module(X, memory))
    B, N, N_M = sizes.B, sizes.N_X, sizes.N_K
    expect.shape(expect.component(Y, "Y"), X.shape, "Y", "(B, N, D)")
    expect.shape(expect.component(A_self, WHAT[1]), (B, H, N, N), WHAT[1], "(B, H, N, N)")
    expect.shape(expect.component(A_cross, WHAT[2]), (B, H, N, N_M), WHAT[2], "(B, H, N, N_M)")
    uses_its_inputs(twins.module, (X, memory), (X, memory.flip(0)))


@exercise(NAME)
@points(2)
def check_post_norm(student: Student, sizes: Sizes, draw: Draw) -> None:
    """norm="post": masked self-attention, cross-attention, feed-forward layer; after each, add and normalise"""
    for B, N, N_M in [(1, 1, 1), (1, 2, 3), (sizes.B, sizes.N_X, sizes.N_K), (2, 7, 3), (2, 4, 4)]:
        for more in ((), (0.0, "post", "gelu")):
            X, memory = _inputs(draw, sizes, B, N, N_M)
            _twins(student, draw, more).agree(X, memory, what=WHAT, setting=f'N = {N}, N_M = {N_M}, norm="post"')


@exercise(NAME)
@points(2)
def check_pre_norm(student: Student, sizes: Sizes, draw: Draw) -> None:
    """norm="pre": normalise what goes into each sub-layer (X, not the memory), and add to what was not normalised"""
    for B, N, N_M in [(1, 1, 1), (1, 2, 3), (sizes.B, sizes.N_X, sizes.N_K), (2, 7, 3), (2, 4, 4)]:
        X, memory = _inputs(draw, sizes, B, N, N_M)
        twins = _twins(student, draw, (0.0, "pre", "gelu"))
        twins.agree(2 * X, 2 * memory, what=WHAT, size=10.0, setting=f'N = {N}, N_M = {N_M}, norm="pre"')


@exercise(NAME)
@points(2)
def check_changing_the_future_changes_nothing(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Position i sees the positions 0 … i of X and the whole memory"""
    for norm in ("post", "pre"):
        module = _twins(student, draw, (0.0, norm)).module
        X, memory = _inputs(draw, sizes)
        uses_its_inputs(module, (X, memory), (X.flip(0), memory))
        Y = expect.tensor(_pieces(module(X, memory))[0], "Y")
        expect.shape(Y, X.shape, "Y", "(B, N, D)")
        for i in range(X.shape[1] - 1):
            other = X.clone()
            other[:, i + 1 :] = draw.normal(*other[:, i + 1 :].shape, scale=3.0)
            got = expect.tensor(_pieces(module(other, memory))[0], "Y")
            expect.shape(got, X.shape, "Y", "(B, N, D)")
            if not torch.allclose(got[:, : i + 1], Y[:, : i + 1], rtol=1e-9, atol=1e-9):
                raise CheckFailure(
                    "leak",
                    f"Changing X after position {i} changes Y at position {i} or before.",
                    received=f"leak at {i}",
                    setting=f'norm="{norm}"',
                    cause="looks ahead",
                    hint="The self-attention of a decoder needs the causal mask, which the block makes itself. Nothing else "
                    "may mix positions.",
                )
        first = torch.cat((draw.normal(*X[:, :1].shape), X[:, 1:]), dim=1)
        last = expect.tensor(_pieces(module(first, memory))[0], "Y")[:, -1]
        sees_what_came_before(last, Y[:, -1], "Y", f'norm="{norm}"')


@exercise(NAME)
@points(2)
def check_masks(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` is joined with the causal mask in the self-attention; `memory_allowed` hides keys in the cross-attention"""
    B, N, N_M = sizes.B, sizes.N_X, sizes.N_K
    for norm in ("post", "pre"):
        twins = _twins(student, draw, (0.0, norm))
        X, memory = _inputs(draw, sizes)
        for shape, memory_shape in [((N, N), (N, N_M)), ((B, 1, 1, N), (B, 1, 1, N_M)), ((B, H, N, N), (B, H, N, N_M))]:
            options = {"allowed": draw.allowed(*shape), "memory_allowed": draw.allowed(*memory_shape)}
            options["allowed"][..., 0] = True  # so that the causal mask and this one leave something
            for chosen in (["allowed"], ["memory_allowed"], list(options)):
                twins.agree(
                    X,
                    memory,
                    **{key: options[key] for key in chosen},
                    what=WHAT,
                    size=10.0,
                    setting=f'{" and ".join(chosen)}, norm="{norm}"',
                )
        X, memory = _inputs(draw, sizes, N_M=N)  # a mask of X fits the memory, too
        setting = f'allowed, as many rows in memory as in X, norm="{norm}"'
        twins.agree(X, memory, allowed=options["allowed"], what=WHAT, size=10.0, setting=setting)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X, to the memory and to all weights with the right values"""
    for norm in ("post", "pre"):
        twins = _twins(student, draw, (0.0, norm, "gelu"))
        twins.gradients_agree(*_inputs(draw, sizes), draw=draw, names=("X", "memory"), setting=f'norm="{norm}"')


@exercise(NAME)
@points(2)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, dropout acts inside the three sub-layers and on what each of them adds; in eval mode nowhere"""
    X = draw.normal(dropouts.ROWS, 1, dropouts.WIDTH)
    memory = torch.ones(dropouts.ROWS, 1, dropouts.WIDTH, dtype=torch.float64)
    build = (dropouts.WIDTH, dropouts.HEADS, dropouts.WIDTH, dropouts.P, "pre")
    reference = references.DecoderBlock(*build)
    weights = dropouts.telling_weights(reference, NAMES, from_memory=("cross_attention",))
    twins = ModulePair(student, NAME, build, reference, draw, weights=weights)
    twins.agree(X, memory, what=WHAT, size=200.0, setting=f"eval mode, dropout={dropouts.P}")
    Y = expect.tensor(_pieces(twins.module.when(training=True)(X, memory))[0], "Y")
    expect.shape(Y, X.shape, "Y", "(B, N, D)", "training mode")
    dropouts.judge((Y.double() - X)[:, 0], NAMES)
    build = (*build[:-1], "post")
    dropouts.judge_before_the_norm(
        student, NAME, build, NAMES, references.DecoderBlock(*build), (torch.zeros_like(X), torch.zeros_like(memory))
    )
    for norm in ("pre", "post"):
        build = (*build[:-1], norm)
        pair = ModulePair(student, NAME, build, references.DecoderBlock(*build), draw)
        example = (draw.normal(1, 3, dropouts.WIDTH), draw.normal(1, 2, dropouts.WIDTH))
        dropouts.judge_spread(pair, example, WHAT, draw)


@exercise(NAME)
@points(1)
@promises
def check_arguments_and_repeatability(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Another `norm` raises an error; without dropout the same input gives the same output, in float32 and on any device"""
    twins = _twins(student, draw, dtype=torch.float32)
    X, memory = _inputs(draw, sizes, dtype=torch.float32)
    twins.agree(X, memory, what=WHAT)
    expect.dtype(expect.tensor(_pieces(twins.module(X, memory))[0], "Y"), torch.float32, "Y")
    same_twice(twins.module, X, memory)
    others = [(X[:, :2], memory[:, :3]), (2 * X, memory), (X, memory[:, :2])]
    masked = X, memory, draw.allowed(X.shape[1]), draw.allowed(memory.shape[1])
    no_side_effects(twins, others, X, memory, what=WHAT, masked=masked)
    works_where_its_inputs_are(twins.module, X, memory)
    raises_value_error(
        'norm="prae"',
        "A mistyped word should not pass unnoticed. Raise a ValueError for everything but the two words.",
        student.build(NAME, D, H, HIDDEN, 0.0, "prae"),
        X,
        memory,
    )
