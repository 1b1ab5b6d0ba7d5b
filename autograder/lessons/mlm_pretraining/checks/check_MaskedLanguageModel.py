"""MaskedLanguageModel(vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    points,
    promises,
    uses_its_inputs,
)
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks.bodies import (
    SIZES,
    V,
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

NAME = "MaskedLanguageModel"
WHAT = "logits"


def _twins(student: Student, draw: Draw, build=SIZES, dtype=torch.float64):
    return ModulePair(student, NAME, (*build, 0.0), references.MaskedLanguageModel(*(*build, 0.0)), draw, dtype)


@exercise(NAME)
@points(3)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It has an encoder, `transform`, `output_norm` and `output_bias`, no other output matrix, and gives logits (B, N, V)"""
    want = dict(references.MaskedLanguageModel(*SIZES).named_parameters())
    has_parameters(student, NAME, (*SIZES, 0.0), want)
    module = _twins(student, draw).module
    for B, N in [(1, 1), (sizes.B, sizes.N_K), (sizes.H, sizes.B)]:
        ids = ids_of(draw, B, N, padded=False)
        expect.shape(expect.tensor(module(ids), WHAT), (B, N, V), WHAT, "(B, N, V)", describe(ids))
    uses_its_inputs(module, (ids,), (other_ids(ids),))


@exercise(NAME)
@points(4)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y passes `transform`, GELU and `output_norm`; the logits are dot products with the token vectors, plus `output_bias`"""
    right_values(lambda build: _twins(student, draw, build), sizes.B, draw, WHAT, 20.0)


@exercise(NAME)
@points(1)
def check_padding_and_segments(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Padding changes nothing for other tokens, and segments reach the embeddings"""
    twins = _twins(student, draw)
    ids = ids_of(draw, 5, 7)
    segments = segments_of(draw, ids)
    uses_its_inputs(twins.module, (ids, torch.zeros_like(ids)), (ids, torch.ones_like(ids)))
    padding_changes_nothing(twins.module, ids, None, WHAT)
    padding_changes_nothing(twins.module, ids, segments, WHAT)
    compare(twins, ids, segments, WHAT, 20.0)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients of all parameters are right: the token vectors get theirs as input and as output"""
    twins = _twins(student, draw)
    ids = ids_of(draw, sizes.B, sizes.N_X, padded=False)
    twins.gradients_agree(ids, segments_of(draw, ids), draw=draw, outputs=1, names=())


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same ids give the same logits, whatever came before, in float32 too; in training, dropout acts in the encoder"""
    single = _twins(student, draw, dtype=torch.float32)
    same_again(_twins(student, draw), single, draw, sizes.B, sizes.N_X, (WHAT,), 20.0)
    drops(student, NAME, references.MaskedLanguageModel, draw, (WHAT,))
