"""Encoder(num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu")."""

import torch

from autograder.checks import (
    FEW,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    expect_still,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_dropout_distribution,
    same_twice,
    uses_its_inputs,
)
from autograder.checks import pair as two
from autograder.lessons.transformer import references

NAME = "Encoder"
D, H, HIDDEN = 22, 2, 17
EVAL = "eval mode, dropout=0.25"


def _what(blocks):
    return ("Y", *(f"A of block {number}" for number in range(blocks)))


def _twins(student, draw, blocks=3, more=(), dtype=torch.float64):
    build = (blocks, D, H, HIDDEN, *more)
    return ModulePair(student, NAME, build, references.Encoder(*build), draw, dtype)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Every block has weights of its own; norm="pre" has a last LayerNorm, `norm`, and norm="post" has none"""
    for blocks, norm in ((1, "post"), (3, "post"), (2, "pre")):
        build = (blocks, D, H, HIDDEN, 0.0, norm)
        has_parameters(student, NAME, build, dict(references.Encoder(*build).named_parameters()))
    X = draw.normal(sizes.B, sizes.N_X, D)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.flip(0),))


@exercise(NAME)
@points(1)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each block works on what the one before has returned, and the weights of all blocks are returned in order"""
    for blocks, more in [(1, ()), (2, (0.0, "post", "gelu")), (3, ()), (1, (0.0, "pre")), (3, (0.0, "pre", "gelu"))]:
        twins = _twins(student, draw, blocks, more)
        X = draw.normal(sizes.B, sizes.N_X, D)
        twins.agree(X, what=_what(blocks), size=10.0, setting=f"{blocks} blocks{', ' + repr(more[1]) if more else ''}")
    uses_its_inputs(twins.module, (X,), (X.flip(0),))


@exercise(NAME)
@points(1)
def check_mask(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` is the same in every block"""
    B, N = sizes.B, sizes.N_X
    twins = _twins(student, draw)
    X = draw.normal(B, N, D)
    for shape in [(N, N), (B, 1, 1, N)]:
        twins.agree(X, allowed=draw.allowed(*shape), what=_what(3), size=10.0, setting=f"allowed {shape}")


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_repeatability(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back through all blocks, also from the weights; the same input gives the same output, in float32 too"""
    twins = _twins(student, draw, 2, (0.0, "pre"))
    twins.gradients_agree(draw.normal(sizes.B, sizes.N_X, D), draw=draw, names=("X",))
    twins = _twins(student, draw, 2, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
    twins.agree(X, what=_what(2), size=10.0)
    expect.dtype(twins.module(X)[0], torch.float32, "Y")
    same_twice(twins.module, X)
    masked = X, draw.allowed(sizes.N_X, sizes.N_X)
    no_side_effects(twins, [(2 * X,), (X[:, :2],)], X, what=_what(2), masked=masked)


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """`dropout` is passed on to every block"""
    passes_dropout_on(student, NAME, references.Encoder, (draw.normal(200, 1, 6),), draw)


def passes_dropout_on(student: Student, name, reference, inputs, draw: Draw):
    """Silence all blocks but one, whose feed-forward layer adds a constant: in training, some of it has to be missing."""
    build = (2, 6, 2, 6, 0.25, "post")
    for block in range(2):
        made = reference(*build)
        weights = {key: torch.zeros_like(value, dtype=torch.float64) for key, value in made.named_parameters()}
        weights |= {key: value + 1 for key, value in weights.items() if key.endswith("gamma")}
        weights[f"blocks.{block}.feed_forward.W_2.bias"] += 1.0
        twins = ModulePair(student, name, build, made, draw, weights=weights)
        zeros = tuple(torch.zeros_like(x) for x in inputs)
        Y, _ = two(expect_still(twins.module, *zeros, setting=EVAL), "Y", "the weights of all blocks")
        expect.allclose(expect.tensor(Y, "Y"), torch.zeros(Y.shape), "Y", setting=EVAL)
        Y, _ = two(twins.module.when(training=True)(*zeros), "Y", "the weights of all blocks")
        if not bool(expect.tensor(Y, "Y").any()):
            raise expect.CheckFailure(
                "dropout",
                f"Nothing is dropped in block {block}.",
                setting="training mode, dropout=0.25",
                received="dropout",
                cause="dropout not passed on",
                hint="Give every block the arguments that the stack was given.",
            )
    for norm in ("pre", "post"):
        pair = ModulePair(student, name, (*build[:-1], norm), reference(*build[:-1], norm), draw)
        example = [x[:1].repeat(1, 3, 1) + draw.normal(1, 3, 6) for x in inputs]
        hint = "Give every block the dropout that the stack was given. The stack itself drops nothing."
        setting = f'training mode, dropout=0.25, norm="{norm}"'
        same_dropout_distribution(
            pair, *example, what=("Y", "A of block 0", "A of block 1"), draw=draw, setting=setting, hint=hint, runs=FEW
        )
