"""LearnedPositions(max_length, width)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    has_parameters,
    no_side_effects,
    points,
    promises,
    raises_value_error,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.transformer_blocks import references

NAME = "LearnedPositions"
LONGEST, WIDTH = 13, 11
WHAT = ("The result",)


def _twins(student: Student, draw: Draw, longest=LONGEST, width=WIDTH, dtype=torch.float64):
    return ModulePair(student, NAME, (longest, width), references.LearnedPositions(longest, width), draw, dtype)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The one parameter is `table` (max_length, width)"""
    has_parameters(
        student, NAME, (LONGEST, WIDTH), dict(references.LearnedPositions(LONGEST, WIDTH).named_parameters())
    )
    X = draw.normal(sizes.B, sizes.N_X, WIDTH)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Row i of the table is added to position i of every sequence"""
    for B, N in [(1, 1), (1, 2), (sizes.B, sizes.N_X), (5, 3), (3, LONGEST), (LONGEST, 2)]:
        _twins(student, draw).agree(draw.normal(B, N, WIDTH), what=WHAT)
    _twins(student, draw, 7, 7).agree(draw.normal(7, 7, 7), what=WHAT)
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH)
    uses_its_inputs(twins.module, (X,), (X.square(),))


@exercise(NAME)
@points(1)
def check_too_long_a_sequence(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A sequence as long as the table gets its positions, and a longer one raises an error"""
    twins, one = _twins(student, draw), _twins(student, draw, 1)
    for pair, N in ((twins, LONGEST), (one, 1)):
        pair.agree(draw.normal(sizes.B, N, WIDTH), what=WHAT)
    for module, N in ((twins.module, LONGEST + 1), (one.module, 2)):  # a table of one row would broadcast
        raises_value_error(
            f"{N} positions with a table that is too short",
            "Compare the length with max_length, and raise a ValueError that says both.",
            module,
            draw.normal(sizes.B, N, WIDTH),
            sentence=True,
        )


@exercise(NAME)
@points(1)
@promises
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to the table, and rows that are not used get none"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH)
    twins.gradients_agree(X, draw=draw, names=("X",))
    same_twice(twins.module, X)
    no_side_effects(twins, [(X[:, :2],), (draw.normal(1, LONGEST, WIDTH),)], X, what=WHAT)
