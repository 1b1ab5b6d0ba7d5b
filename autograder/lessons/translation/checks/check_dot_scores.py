"""dot_scores(states, memory)."""

import torch

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises, raises_value_error
from autograder.lessons.translation import references

NAME = "dot_scores"
#: (B, T, N, S), the smallest first. In the last ones, different things are equally many.
CASES = (
    (1, 1, 1, 1),
    (1, 1, 2, 1),
    (1, 2, 3, 2),
    (2, 3, 5, 7),
    (3, 1, 4, 5),
    (1, 37, 2, 3),
    (5, 7, 3, 2),
    (3, 3, 3, 3),
    (2, 4, 4, 4),
)


def _agree(student: Student, states, memory, more=""):
    setting = f"states {tuple(states.shape)}, memory {tuple(memory.shape)}, {states.dtype}{more}"
    scores = expect.tensor(student.dot_scores(states, memory), "The scores")
    expect.shape(scores, (*states.shape[:2], memory.shape[1]), "The scores", "(B, T, N)", setting)
    want = references.dot_scores(states.double(), memory.double())
    expect.allclose(scores, want, "The scores", size=float(want.abs().max()), setting=setting)
    return scores


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """Each score is the dot product of a state and a source word of the same sentence, divided by nothing"""
    for B, T, N, S in CASES:
        _agree(student, draw.normal(B, T, S), draw.normal(B, N, S))


@exercise(NAME)
@points(1)
def check_widths(student: Student, draw: Draw) -> None:
    """States and memory of different widths raise a ValueError, also where one of them has width 1 or T = N"""
    for B, T, N, S, M in ((2, 3, 5, 7, 11), (1, 2, 3, 1, 4), (1, 2, 3, 4, 1), (2, 3, 3, 3, 5), (1, 5, 3, 5, 3)):
        raises_value_error(
            f"A state of width {S} for a memory of width {M}",
            "Compare the last axes before anything is multiplied, and raise a ValueError that says what was expected.",
            student.dot_scores,
            draw.normal(B, T, S),
            draw.normal(B, N, M),
            sentence=True,
        )
    _agree(student, draw.normal(2, 3, 7), draw.normal(2, 5, 7))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """It keeps the dtype, works on any memory layout, lets gradients through and changes nothing in place"""
    for dtype in (torch.float64, torch.float32):
        states, memory = draw.normal(2, 3, 7, dtype=dtype), draw.normal(2, 5, 7, dtype=dtype)
        expect.dtype(_agree(student, states, memory), dtype, "The scores")
        _agree(student, states.mT.contiguous().mT, memory.mT.contiguous().mT, ", transposed tensors")
    answer = student.answer(Request(NAME, (states, memory), cotangents=(torch.ones(2, 3, 5),)))
    want = (memory.sum(1, keepdim=True).expand_as(states), states.sum(1, keepdim=True).expand_as(memory))
    expect.gradients(answer.gradients, want, ("states", "memory"), "float32")
