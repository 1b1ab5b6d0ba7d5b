"""retrieval_at_k(similarities, relevant, k)."""

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Student,
    close_numbers,
    exercise,
    points,
    promises,
    raises_value_error,
    scalar,
)
from autograder.lessons.vision_language import references

NAME = "retrieval_at_k"
#: (N, M), the smallest first.
SIZES = ((1, 2), (2, 3), (3, 2), (5, 7), (7, 5), (11, 11), (13, 29))


def _relevant(draw: Draw, N: int, M: int, most: int = 1) -> Tensor:
    """Which of M items are relevant to each of N queries: from one to `most`."""
    relevant = torch.zeros(N, M, dtype=torch.bool)
    for _ in range(most):
        relevant.scatter_(1, draw.integers(M, N, 1), True)
    return relevant


def _compare(student: Student, similarities: Tensor, relevant: Tensor, k: int, more: str = "") -> float:
    setting = f"similarities {tuple(similarities.shape)} = (N, M), k = {k}{more}"
    if similarities.numel() <= 12:
        setting += f"; {similarities.tolist()}, relevant {relevant.tolist()}"
    got = scalar(student.retrieval_at_k(similarities, relevant, k), "The share", setting)
    want = references.retrieval_at_k(similarities, relevant, k)
    close_numbers({"share": got}, {"share": want}, "The share is wrong.", setting)
    return got


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """It is the share of rows in which something relevant is among the k most similar; several items may be relevant"""
    for N, M in SIZES:
        for most in (1, 3):
            relevant, similarities = _relevant(draw, N, M, most), draw.normal(N, M)
            similarities[::2] += 0.7 * relevant[::2]  # so that some rows are found, and some are not
            for k in (1, 2, M - 1, M, M + 3):
                _compare(student, similarities, relevant, max(k, 1))
        _compare(student, -similarities.sigmoid(), relevant, 1, ", all between −1 and 0")
        _compare(student, -1 - similarities.abs(), relevant, 1, ", all below −1")
        _compare(student, 0.5 + 1e-9 * similarities, relevant, 1, ", about 1e-9 apart")


@exercise(NAME)
@points(1)
def check_ties(student: Student, draw: Draw) -> None:
    """Ties count against the model: where all similarities are equal, nothing is found while something irrelevant is left"""
    for N, M in SIZES[1:]:
        relevant = _relevant(draw, N, M, 2)
        for value in (0.0, 0.25):
            for k in (1, 2, M - 1, M):
                _compare(student, torch.full((N, M), value, dtype=torch.float64), relevant, k, ", all equal")
    for _ in range(6):
        rounded, relevant = draw.integers(3, 7, 9).double(), _relevant(draw, 7, 9, 2)
        for k in (1, 2, 4):
            _compare(student, rounded, relevant, k, ", many equal")


@exercise(NAME)
@points(1)
@promises
def check_nothing_relevant_and_nothing_changed(student: Student, draw: Draw) -> None:
    """A row without anything relevant raises a ValueError; any memory layout and float32 will do; nothing is changed"""
    # So many that a wrong share is wrong in every draw.
    relevant, similarities = (_relevant(draw, 61, 7), draw.normal(61, 7))
    similarities[::2] += 0.7 * relevant[::2]
    _compare(student, similarities, relevant, 2)
    without = relevant.clone()
    without[3] = False
    for wrong in (without, torch.zeros_like(relevant)):
        raises_value_error(
            "A row in which nothing is relevant",
            "Look whether each row of `relevant` has a True, before anything else, and raise a ValueError that says what was "
            "expected.",
            student.retrieval_at_k,
            similarities,
            wrong,
            2,
        )
    _compare(
        student,
        (similarities - 9).T.contiguous().T,
        relevant.T.contiguous().T,
        2,
        ", all negative, transposed in memory",
    )
    _compare(student, similarities.float(), relevant, 2, ", float32")
