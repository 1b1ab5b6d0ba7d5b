"""Decoder(num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu")."""

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
from autograder.lessons.transformer import references
from autograder.lessons.transformer.checks.check_Encoder import passes_dropout_on

NAME = "Decoder"
D, H, HIDDEN = 22, 2, 17


def _what(blocks):
    return ("Y", *(f"A of block {number}" for number in range(blocks)))


def _twins(student, draw, blocks=3, more=(), dtype=torch.float64):
    build = (blocks, D, H, HIDDEN, *more)
    return ModulePair(student, NAME, build, references.Decoder(*build), draw, dtype)


@exercise(NAME)
@points(2)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Every block has weights of its own; norm="pre" has a last LayerNorm, `norm`, and norm="post" has none"""
    for blocks, norm in ((1, "post"), (3, "post"), (2, "pre")):
        build = (blocks, D, H, HIDDEN, 0.0, norm)
        has_parameters(student, NAME, build, dict(references.Decoder(*build).named_parameters()))
    X, memory = draw.normal(sizes.B, sizes.N_X, D), draw.normal(sizes.B, sizes.N_K, D)
    uses_its_inputs(_twins(student, draw).module, (X, memory), (X, memory.flip(0)))


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each block works on what the one before has returned, and all on the same memory; A is that of the cross-attention"""
    for blocks, more in [(1, ()), (2, (0.0, "post", "gelu")), (3, ()), (1, (0.0, "pre")), (3, (0.0, "pre", "gelu"))]:
        twins = _twins(student, draw, blocks, more)
        X, memory = draw.normal(sizes.B, sizes.N_X, D), draw.normal(sizes.B, sizes.N_K, D)
        setting = f"{blocks} blocks{', ' + repr(more[1]) if more else ''}"
        twins.agree(X, memory, what=_what(blocks), size=10.0, setting=setting)
        twins.agree(
            X, memory[:, :1].repeat(1, X.shape[1], 1), what=_what(blocks), size=10.0, setting=f"{setting}, N_M = N"
        )
    uses_its_inputs(twins.module, (X, memory), (X, memory.flip(0)))


@exercise(NAME)
@points(1)
def check_masks(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` and `memory_allowed` are the same in every block"""
    B, N, N_M = sizes.B, sizes.N_X, sizes.N_K
    twins = _twins(student, draw)
    X, memory = draw.normal(B, N, D), draw.normal(B, N_M, D)
    allowed, memory_allowed = draw.allowed(N, N), draw.allowed(B, 1, 1, N_M)
    allowed[:, 0] = True
    for options in ({"allowed": allowed}, {"memory_allowed": memory_allowed}):
        twins.agree(X, memory, **options, what=_what(3), size=10.0, setting=f"{next(iter(options))} given")


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_repeatability(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back through all blocks, also from the weights; the same input gives the same output, in float32 too"""
    twins = _twins(student, draw, 2, (0.0, "pre"))
    X, memory = draw.normal(sizes.B, sizes.N_X, D), draw.normal(sizes.B, sizes.N_K, D)
    twins.gradients_agree(X, memory, draw=draw, names=("X", "memory"))
    twins = _twins(student, draw, 2, dtype=torch.float32)
    X, memory = X.float(), memory.float()
    twins.agree(X, memory, what=_what(2), size=10.0)
    expect.dtype(twins.module(X, memory)[0], torch.float32, "Y")
    same_twice(twins.module, X, memory)
    masked = X, memory, draw.allowed(sizes.N_X), draw.allowed(sizes.N_K)
    no_side_effects(twins, [(2 * X, memory), (X[:, :2], memory)], X, memory, what=_what(2), masked=masked)


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """`dropout` is passed on to every block"""
    passes_dropout_on(student, NAME, references.Decoder, (draw.normal(200, 1, 6), draw.normal(200, 1, 6)), draw)
