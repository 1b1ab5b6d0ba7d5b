"""AdditiveScores(state_width, memory_width, hidden_width)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.translation import references

NAME = "AdditiveScores"
S, M, HIDDEN = 11, 13, 17
WHAT = ("The scores",)
#: (B, T, N, state_width, memory_width, hidden_width), the smallest first. In the last ones, different things are equally many.
CASES = (
    (1, 1, 1, 1, 1, 1),
    (1, 1, 2, 1, 1, 1),
    (1, 2, 1, 2, 3, 1),
    (1, 2, 3, 1, 2, 2),
    (2, 3, 5, 7, 11, 13),
    (5, 7, 2, 3, 2, 5),
    (1, 41, 3, 2, 3, 5),
    (3, 3, 3, 3, 3, 3),
    (2, 4, 4, 5, 5, 5),
)


def _twins(student: Student, draw: Draw, build=(S, M, HIDDEN), dtype=torch.float64):
    return ModulePair(student, NAME, tuple(build), references.AdditiveScores(*build), draw, dtype)


def _inputs(draw: Draw, B=2, T=3, N=5, widths=(S, M), dtype=torch.float64):
    return draw.normal(B, T, widths[0], dtype=dtype), draw.normal(B, N, widths[1], dtype=dtype)


def _scores(module, states, memory):
    scores = expect.tensor(module(states, memory), WHAT[0])
    want = (*states.shape[:2], memory.shape[1])
    expect.shape(scores, want, WHAT[0], "(B, T, N)", f"states {tuple(states.shape)}, memory {tuple(memory.shape)}")
    return scores


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """W, U and v have no bias; there is one score for every pair of a state and a source word of the same sentence"""
    has_parameters(student, NAME, (S, M, HIDDEN), dict(references.AdditiveScores(S, M, HIDDEN).named_parameters()))
    for B, T, N, *build in CASES:
        _scores(_twins(student, draw, build).module, *_inputs(draw, B, T, N, build))
    states, memory = _inputs(draw)
    uses_its_inputs(_twins(student, draw).module, (states, memory), (states, memory.square()))


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """Each score is vᵀ tanh(W s + U h)"""
    for B, T, N, *build in CASES:
        twins = _twins(student, draw, build)
        states, memory = _inputs(draw, B, T, N, build)
        _scores(twins.module, states, memory)
        for scale in (1.0, 3.0):
            twins.agree(scale * states, scale * memory, what=WHAT)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of states, memory and all weights have the right values"""
    twins = _twins(student, draw)
    twins.gradients_agree(*_inputs(draw), draw=draw, names=("states", "memory"))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    _twins(student, draw).agree(*_inputs(draw), what=WHAT)
    twins, inputs = _twins(student, draw, dtype=torch.float32), _inputs(draw, dtype=torch.float32)
    expect.dtype(twins.agree(*inputs, what=WHAT), torch.float32, WHAT[0])
    same_twice(twins.module, *inputs)
    no_side_effects(twins, [_inputs(draw, 3, 2, 4, dtype=torch.float32), tuple(-x for x in inputs)], *inputs, what=WHAT)
    twins.agree(*(x.mT.contiguous().mT for x in inputs), what=WHAT, setting="transposed tensors")
