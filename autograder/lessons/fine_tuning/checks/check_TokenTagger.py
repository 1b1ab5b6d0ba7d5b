"""TokenTagger(model_width, tags, dropout=0.1)."""

from autograder.checks import Draw, Sizes, Student, exercise, points, promises
from autograder.lessons.fine_tuning.checks import heads

NAME = "TokenTagger"
TAGS = 7
WHAT = ("logits",)


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has `output` alone, and gives a row of logits for every token, (B, N, tags)"""
    heads.right_shapes(student, NAME, TAGS, draw, (sizes.B, sizes.N_K), "(B, N, tags)")


@exercise(NAME)
@points(1)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each token's logits are the linear map of its own vector"""
    for tags in (1, TAGS, heads.D):
        twins = heads.twins_of(student, NAME, tags, draw)
        for B, N in heads.shapes((sizes.B, sizes.N_K)):
            twins.agree(draw.normal(B, N, heads.D), what=WHAT)


@exercise(NAME)
@points(1)
@promises
def check_dropout_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Dropout comes before the output layer; the gradients are right"""
    twins = heads.twins_of(student, NAME, TAGS, draw)
    heads.gradients_and_repetition(twins, draw, draw.normal(sizes.B, sizes.N_K, heads.D), WHAT)
    hint = "self.dropout(Y) goes into self.output(...)."
    heads.drops(student, NAME, heads.passes_on(), draw.normal(40, 7, heads.D), hint)
