"""ranked_gains(scores, gains) -> the gains in the order of the ranking."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, points, promises
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks.rankings import (
    CLOSE,
    SIZES,
    describe_inputs,
    gains_of,
    relevant_of,
    scores_of,
    tied_scores,
)

NAME = "ranked_gains"
WHAT = "The gains"


def _agree(student: Student, scores: Tensor, gains: Tensor, more: str = "") -> Tensor:
    setting = describe_inputs(scores, gains, "gains") + more
    got = expect.tensor(student.ranked_gains(scores, gains), WHAT)
    expect.shape(got, scores.shape, WHAT, "(B, V)", setting)
    want = references.ranked_gains(scores, gains)
    if not torch.equal(got.double(), want.double()):
        row = int((got.double() != want.double()).any(dim=1).nonzero()[0])
        raise CheckFailure(
            "value",
            "The gains are in the wrong order.",
            setting=setting,
            expected=f"row {row}: {want[row].double().tolist()[:12]}",
            yours=f"row {row}: {got[row].double().tolist()[:12]}",
            received=got.double(),
            wanted=want.double(),
        )
    return got


@exercise(NAME)
@points(2)
def check_falling_scores(student: Student, draw: Draw) -> None:
    """The gain of the highest score comes first, and that of the lowest last, in each row, however close they are"""
    for B, V in SIZES:
        _agree(student, scores_of(draw, B, V), draw.normal(B, V))
        _agree(student, scores_of(draw, B, V), gains_of(draw, B, V))
        _agree(student, scores_of(draw, B, V, CLOSE), gains_of(draw, B, V), f", scores {CLOSE:g} apart")


@exercise(NAME)
@points(3)
def check_equal_scores(student: Student, draw: Draw) -> None:
    """Of equal scores the smallest gain comes first, wherever the documents stand"""
    for B, V in SIZES[1:]:
        for scores in (tied_scores(draw, B, V), torch.zeros(B, V).double()):
            _agree(student, scores, gains_of(draw, B, V))
            _agree(student, scores, draw.normal(B, V))
    # Both orders of the documents of a tie.
    _agree(student, torch.ones(2, 3).double(), torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).double())


@exercise(NAME)
@points(2)
@promises
def check_dtype_and_inputs_are_kept(student: Student, draw: Draw) -> None:
    """The result has the dtype of the gains, bool too; other memory layouts change nothing, and nothing is changed in place"""
    scores = tied_scores(draw, 5, 11)
    for gains in (gains_of(draw, 5, 11), gains_of(draw, 5, 11).long(), relevant_of(draw, 5, 11)):
        expect.dtype(_agree(student, scores, gains, f", {gains.dtype}"), gains.dtype, WHAT)
        _agree(student, scores.T.contiguous().T, gains.T.contiguous().T, ", transposed tensors")
        _agree(student, scores.float(), gains, ", scores in float32")
