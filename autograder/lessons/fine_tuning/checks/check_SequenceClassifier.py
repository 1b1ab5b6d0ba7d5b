"""SequenceClassifier(model_width, classes, dropout=0.1)."""

import torch

from autograder.checks import CheckFailure, Draw, Sizes, Student, exercise, expect, points, promises, uses_its_inputs
from autograder.lessons.fine_tuning.checks import heads

NAME = "SequenceClassifier"
CLASSES = 3
WHAT = ("logits",)


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has `pooler` and `output`, and gives one row of logits (B, classes) for each sequence"""
    heads.right_shapes(student, NAME, CLASSES, draw, (sizes.B, sizes.N_K), "(B, classes)")


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The logits come from the tanh of the pooled vector of the first token, [CLS], and from no other"""
    for classes in (1, CLASSES, heads.D):
        twins = heads.twins_of(student, NAME, classes, draw)
        for B, N in heads.shapes((sizes.B, sizes.N_K)):
            twins.agree(draw.normal(B, N, heads.D, scale=2.0), what=WHAT)
    Y = draw.normal(sizes.B, sizes.N_K, heads.D)
    other = torch.cat((Y[:, :1], draw.normal(sizes.B, sizes.N_K - 1, heads.D)), dim=1)
    uses_its_inputs(twins.module, (Y,), (Y.roll(1, 1),))
    one, two = (expect.tensor(twins.module(x), "logits") for x in (Y, other))
    if not torch.allclose(one, two, atol=1e-7):
        raise CheckFailure(
            "first",
            "Vectors of later tokens change the logits.",
            received="later",
            cause="not the first token alone",
            hint="The sequence is classified by the vector of [CLS], Y[:, 0].",
        )


@exercise(NAME)
@points(1)
@promises
def check_dropout_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Dropout comes between the tanh and the output layer; the gradients are right"""
    twins = heads.twins_of(student, NAME, CLASSES, draw)
    Y = draw.normal(sizes.B, sizes.N_K, heads.D)
    heads.gradients_and_repetition(twins, draw, Y, WHAT)
    pooler = {"pooler.weight": torch.eye(heads.D).double(), "pooler.bias": torch.zeros(heads.D).double()}
    hint = "self.dropout belongs between torch.tanh(...) and self.output(...)."
    heads.drops(student, NAME, heads.passes_on() | pooler, draw.normal(200, 2, heads.D), hint)
