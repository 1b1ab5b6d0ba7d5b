"""BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1)."""

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
    no_weights,
    pair,
    points,
    promises,
    tuple_of,
    uses_its_inputs,
)
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks.bodies import (
    SIZES,
    compare,
    describe,
    drops,
    ids_of,
    other_ids,
    padding_changes_nothing,
    right_values,
    same_again,
    segments_of,
)

NAME = "BertEncoder"


def _twins(student: Student, draw: Draw, build=SIZES, dtype=torch.float64):
    return ModulePair(student, NAME, (*build, 0.0), references.BertEncoder(*(*build, 0.0)), draw, dtype)


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has embeddings and blocks, and gives Y (B, N, D) and the weights of each block, (B, H, N, N)"""
    has_parameters(student, NAME, (*SIZES, 0.0), dict(references.BertEncoder(*SIZES).named_parameters()))
    module = _twins(student, draw).module
    _, D, H, blocks, _ = SIZES
    for B, N in [(1, 1), (sizes.B, sizes.N_K), (sizes.H, sizes.B)]:
        ids = ids_of(draw, B, N, padded=False)
        Y, weights = pair(module(ids), "Y", "the weights of each block")
        expect.shape(expect.tensor(Y, "Y"), (B, N, D), "Y", "(B, N, D)", describe(ids))
        for A in tuple_of(weights, blocks, "the weights of each block"):
            expect.shape(expect.tensor(A, "A"), (B, H, N, N), "A", "(B, H, N, N)", describe(ids))
    uses_its_inputs(module, (ids,), (other_ids(ids),))


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y is what the blocks make of the embeddings, and every token sees the whole sequence, on both sides"""
    right_values(lambda build: _twins(student, draw, build), sizes.B, draw)


@exercise(NAME)
@points(3)
def check_padding(student: Student, sizes: Sizes, draw: Draw) -> None:
    """No token attends to padding: its weight is 0, and more of it behind a row changes nothing"""
    twins = _twins(student, draw)
    ids = ids_of(draw, 5, 7).flip(0)  # the first row has padding, so that its mask is not taken for none
    uses_its_inputs(twins.module, (ids,), (other_ids(ids),))
    padding_changes_nothing(twins.module, ids, None, "Y")
    compare(twins, ids)
    _, weights = pair(twins.module(ids), "Y", "the weights of each block")
    for number, A in enumerate(tuple_of(weights, SIZES[3], "the weights of each block")):
        if bool(A[(ids == 0)[:, None, None].expand_as(A)].any()):
            raise CheckFailure(
                "padding",
                f"In block {number}, padding gets weight.",
                setting=describe(ids),
                received="weights",
                cause="padding not masked",
                hint="Pass the mask on to the blocks: True where a token is no padding.",
            )


@exercise(NAME)
@points(1)
def check_segments(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`segments` reaches the embeddings; without it, all tokens belong to segment 0"""
    twins = _twins(student, draw)
    for B, N in ((1, 2), (sizes.B, sizes.N_K)):
        ids = ids_of(draw, B, N)
        for segments in (None, torch.zeros_like(ids), torch.ones_like(ids), segments_of(draw, ids)):
            compare(twins, ids, segments)
    uses_its_inputs(twins.module, (ids, torch.zeros_like(ids)), (ids, torch.ones_like(ids)))


@exercise(NAME)
@points(1)
def check_weights_only_when_asked(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With need_weights=False, Y is the same and the list of weights is empty"""
    twins = _twins(student, draw)
    ids = ids_of(draw, sizes.B, sizes.N_K)
    Y, weights = pair(twins.module(ids, need_weights=False), "Y", "no weights")
    with torch.no_grad():
        want, _ = twins.reference(ids)
    keep = ids != 0
    expect.allclose(
        expect.tensor(Y, "Y")[keep], want[keep], "Y", size=8.0, setting=f"{describe(ids)}, need_weights=False"
    )
    no_weights(weights)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients are right; the same ids give the same Y, in float32 too; in training, dropout acts where it should"""
    names = ("Y", *(f"A of block {n}" for n in range(SIZES[3])))
    same_again(_twins(student, draw), _twins(student, draw, dtype=torch.float32), draw, sizes.B, sizes.N_X, names)
    drops(student, NAME, references.BertEncoder, draw, names)
