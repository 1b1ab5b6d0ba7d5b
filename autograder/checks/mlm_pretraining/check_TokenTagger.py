"""TokenTagger(model_width, tags, dropout=0.1)."""

import torch

from autograder import expect, references
from autograder.checks.mlm_pretraining import heads
from autograder.checks.twins import Twins, has_parameters, uses_its_inputs
from autograder.marks import exercise, points

NAME = "TokenTagger"
TAGS = 7
WHAT = ("logits",)


def _twins(student, draw, tags=TAGS, dtype=torch.float64):
    build = (heads.D, tags, 0.0)
    return Twins(student, NAME, build, references.TokenTagger(*build), draw, dtype)


@exercise(NAME)
@points(1)
def check_shapes(student, sizes, draw):
    """The module has `output` alone, and gives a row of logits for every token, (B, N, tags)"""
    build = (heads.D, TAGS, 0.0)
    has_parameters(student, NAME, build, dict(references.TokenTagger(*build).named_parameters()))
    module = _twins(student, draw).module
    for B, N in heads.shapes((sizes.B, sizes.N_K)):
        Y = draw.normal(B, N, heads.D)
        expect.shape(expect.tensor(module(Y), "logits"), (B, N, TAGS), "logits", "(B, N, tags)", f"Y {tuple(Y.shape)}")
    uses_its_inputs(module, (Y,), (Y.flip(0),))


@exercise(NAME)
@points(1)
def check_values(student, sizes, draw):
    """Each token's logits are the linear map of its own vector"""
    for tags in (1, TAGS, heads.D):
        twins = _twins(student, draw, tags)
        for B, N in heads.shapes((sizes.B, sizes.N_K)):
            twins.agree(draw.normal(B, N, heads.D), what=WHAT)


@exercise(NAME)
@points(1)
def check_dropout_and_gradients(student, sizes, draw):
    """Dropout comes before the output layer; the gradients are right"""
    twins = _twins(student, draw)
    heads.gradients_and_repetition(twins, draw, draw.normal(sizes.B, sizes.N_K, heads.D), WHAT)
    hint = "self.dropout(Y) goes into self.output(...)."
    heads.drops(student, NAME, heads.passes_on(), draw.normal(40, 7, heads.D), hint)
