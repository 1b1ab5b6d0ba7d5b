"""mean_reciprocal_rank(scores, relevant)."""

import torch

from autograder.checks import Draw, Student, exercise, points, promises
from autograder.lessons.retrieval.checks.rankings import (
    MANY,
    SIZES,
    agree,
    agree_close,
    relevant_of,
    same_again,
    scores_of,
    tied_scores,
    uses_both,
)

NAME = "mean_reciprocal_rank"
GIVEN, WHAT = "relevant", "The mean reciprocal rank"


@exercise(NAME)
@points(2)
def check_the_first_relevant_document(student: Student, draw: Draw) -> None:
    """It is the mean of 1 / rank of the first relevant document, whose ranks count from 1"""
    for B, V in SIZES:
        for most in (1, 3):
            agree(student, NAME, WHAT, scores_of(draw, B, V), relevant_of(draw, B, V, most), GIVEN)
            agree_close(student, NAME, WHAT, draw, relevant_of(draw, B, V, most), GIVEN)


@exercise(NAME)
@points(1)
def check_equal_scores(student: Student, draw: Draw) -> None:
    """Among equal scores, other documents count as better"""
    for B, V in SIZES[1:]:
        agree(student, NAME, WHAT, tied_scores(draw, B, V), relevant_of(draw, B, V), GIVEN)
    agree(student, NAME, WHAT, torch.zeros(3, 5).double(), relevant_of(draw, 3, 5), GIVEN)


@exercise(NAME)
@points(1)
def check_nothing_relevant(student: Student, draw: Draw) -> None:
    """A query without a relevant document counts with 0, in the sum and in the number of queries"""
    for B, V in SIZES[2:]:
        relevant = relevant_of(draw, B + 2, V)
        relevant[[0, B]] = False
        agree(student, NAME, WHAT, scores_of(draw, B + 2, V), relevant, GIVEN)
    agree(student, NAME, WHAT, scores_of(draw, 2, 5), torch.zeros(2, 5, dtype=torch.bool), GIVEN)
    uses_both(student.mean_reciprocal_rank, scores_of(draw, 1, 4), torch.tensor([[True, False, False, False]]), WHAT)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    same_again(student, NAME, WHAT, scores_of(draw, *MANY), relevant_of(draw, *MANY), GIVEN)
    uses_both(student.mean_reciprocal_rank, scores_of(draw, 1, 4), torch.tensor([[True, False, False, False]]), WHAT)
