"""recall_at_k(scores, relevant, k)."""

import torch

from autograder.checks import Draw, Student, exercise, points, promises, raises_value_error
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

NAME = "recall_at_k"
GIVEN, WHAT = "relevant", "The recall"


@exercise(NAME)
@points(1)
def check_one_relevant_document(student: Student, draw: Draw) -> None:
    """With one relevant document for each query, it is the share of queries that have it among the first k"""
    for B, V in SIZES:
        for k in sorted({1, 2, V // 2 + 1, V}):
            agree(student, NAME, WHAT, scores_of(draw, B, V), relevant_of(draw, B, V, 1), GIVEN, k)


@exercise(NAME)
@points(1)
def check_several_relevant_documents(student: Student, draw: Draw) -> None:
    """With several, it is the share of them that is found, by query, and then the mean of the queries"""
    for B, V in SIZES[2:]:
        for k in sorted({1, 3, V // 2 + 1, V, V + 5}):
            agree(student, NAME, WHAT, scores_of(draw, B, V), relevant_of(draw, B, V), GIVEN, k)
            agree_close(student, NAME, WHAT, draw, relevant_of(draw, B, V), GIVEN, k)


@exercise(NAME)
@points(1)
def check_equal_scores(student: Student, draw: Draw) -> None:
    """Among equal scores, other documents count as better: a search with constant scores finds nothing"""
    for B, V in (*SIZES[1:], MANY):
        for k in sorted({1, 2, V // 2 + 1}):
            agree(student, NAME, WHAT, tied_scores(draw, B, V), relevant_of(draw, B, V), GIVEN, k)
    agree(student, NAME, WHAT, torch.zeros(3, 5).double(), relevant_of(draw, 3, 5, 1), GIVEN, 4)
    _computes(student, draw)


@exercise(NAME)
@points(1)
def check_nothing_relevant(student: Student, draw: Draw) -> None:
    """Queries without a relevant document are left out; if none has one, or k is below 1, there is a ValueError"""
    for B, V in (*SIZES[2:], MANY):
        relevant = relevant_of(draw, B + 2, V)
        relevant[[0, B]] = False
        agree(student, NAME, WHAT, scores_of(draw, B + 2, V), relevant, GIVEN, 2)
    _computes(student, draw)
    scores, relevant = scores_of(draw, 2, 5), relevant_of(draw, 2, 5)
    hint = "Test for it, and raise a ValueError that says what is wrong."
    for k in (0, -1):
        raises_value_error(f"k = {k}", hint, student.recall_at_k, scores, relevant, k)
    raises_value_error("relevant without a single True", hint, student.recall_at_k, scores, relevant & False, 2)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    same_again(student, NAME, WHAT, scores_of(draw, *MANY), relevant_of(draw, *MANY), GIVEN, 4)
    _computes(student, draw)


def _computes(student: Student, draw: Draw) -> None:
    scores = torch.arange(5).double().repeat(2, 1)
    relevant = torch.tensor([[False, False, False, False, True]] * 2)
    uses_both(lambda some, of: student.recall_at_k(some, of, 2), scores, relevant, WHAT)
