"""ndcg_at_k(scores, gains, k)."""

import torch

from autograder.checks import Draw, Student, exercise, points, promises, raises_value_error
from autograder.lessons.retrieval.checks.rankings import (
    MANY,
    SIZES,
    agree,
    agree_close,
    gains_of,
    relevant_of,
    same_again,
    scores_of,
    tied_scores,
    uses_both,
)

NAME = "ndcg_at_k"
GIVEN, WHAT = "gains", "nDCG"


@exercise(NAME)
@points(2)
def check_whole_ranking(student: Student, draw: Draw) -> None:
    """Over the whole ranking it is Σ gain / log₂(rank + 1), divided by that of the best order, by query, and then the mean"""
    for B, V in SIZES:
        agree(student, NAME, WHAT, scores_of(draw, B, V), gains_of(draw, B, V), GIVEN, V)
        agree_close(student, NAME, WHAT, draw, gains_of(draw, B, V), GIVEN, V)
        agree(student, NAME, WHAT, scores_of(draw, B, V), relevant_of(draw, B, V).double(), GIVEN, V)


@exercise(NAME)
@points(2)
def check_first_k(student: Student, draw: Draw) -> None:
    """Only the first k places count, in the ranking and in the best order; k may be larger than the ranking is long"""
    for B, V in SIZES[1:]:
        for k in sorted({1, 2, V // 2 + 1, V + 5}):
            agree(student, NAME, WHAT, scores_of(draw, B, V), gains_of(draw, B, V), GIVEN, k)


@exercise(NAME)
@points(1)
def check_equal_scores(student: Student, draw: Draw) -> None:
    """Of equal scores the smallest gain comes first"""
    for B, V in SIZES[1:]:
        for k in sorted({1, V // 2 + 1, V}):
            agree(student, NAME, WHAT, tied_scores(draw, B, V), gains_of(draw, B, V), GIVEN, k)
    agree(student, NAME, WHAT, torch.zeros(3, 5).double(), gains_of(draw, 3, 5), GIVEN, 3)
    _computes(student)


@exercise(NAME)
@points(1)
def check_nothing_to_gain(student: Student, draw: Draw) -> None:
    """Queries without a gain are left out; if none has one, or k is below 1, there is a ValueError"""
    for B, V in SIZES[2:]:
        gains = gains_of(draw, B + 2, V)
        gains[[0, B]] = 0.0
        agree(student, NAME, WHAT, scores_of(draw, B + 2, V), gains, GIVEN, 3)
        agree(student, NAME, WHAT, scores_of(draw, B + 2, V), gains / 8, GIVEN, 3, more=", gains in eighths")
    _computes(student)
    scores, gains = scores_of(draw, 2, 5), gains_of(draw, 2, 5)
    hint = "Test for it, and raise a ValueError that says what is wrong."
    for k in (0, -1):
        raises_value_error(f"k = {k}", hint, student.ndcg_at_k, scores, gains, k)
    raises_value_error("gains that are all 0", hint, student.ndcg_at_k, scores, gains * 0, 2)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    gains = gains_of(draw, *MANY)
    same_again(student, NAME, WHAT, scores_of(draw, *MANY), gains, GIVEN, 4)
    agree(student, NAME, WHAT, tied_scores(draw, *MANY), gains.long(), GIVEN, 4, more=", gains in int64")
    _computes(student)


def _computes(student: Student) -> None:
    scores, gains = torch.arange(4).double()[None], torch.tensor([[0.0, 1.0, 2.0, 3.0]]).double()
    uses_both(lambda some, of: student.ndcg_at_k(some, of, 3), scores, gains, WHAT)
