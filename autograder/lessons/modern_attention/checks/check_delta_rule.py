"""delta_rule(Q, K, V, beta, S=None)."""

import torch
import torch.nn.functional as F

from autograder.checks import (
    Draw,
    Sizes,
    Student,
    exercise,
    expect,
    points,
    promises,
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import delta

NAME = "delta_rule"


@exercise(NAME)
@points(2)
def check_without_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a state it begins with zeros: every token writes beta times the key times what is missing from its value"""
    for lead, N in [((), 1), ((), 2), ((), 7), ((sizes.B, sizes.H), 5), ((1, 1), 3), ((2,), 67)]:
        inputs = delta.inputs(draw, sizes, *lead, N=N)
        delta.agree(student, NAME, inputs, f"K {tuple(inputs[1].shape)}, V {tuple(inputs[2].shape)}, no state")


@exercise(NAME)
@points(2)
def check_with_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A state is read, corrected and carried on"""
    for lead, N in [((), 1), ((), 2), ((sizes.B, sizes.H), 5), ((2,), 7)]:
        inputs, state = delta.inputs(draw, sizes, *lead, N=N), delta.state(draw, sizes, *lead)
        delta.agree(student, NAME, (*inputs, state), f"K {tuple(inputs[1].shape)}, with a state")


@exercise(NAME)
@points(2)
def check_pieces_are_equal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In one call, token by token, or in pieces of any length, the outputs and the last state are the same"""
    N = 11
    given = delta.inputs(draw, sizes, sizes.B, sizes.H, N=N)
    for lengths in (N, 1, 3, [1, 10], [10, 1], [4, 5, 2]):
        got = delta.in_pieces(student, NAME, given, lengths)
        setting = f"{N} tokens in pieces of {lengths}"
        for value, want, what in zip(got, references.delta_rule(*given), ("Y", "S"), strict=True):
            expect.allclose(value, want, what, size=max(4.0, float(want.abs().max())), setting=setting)


@exercise(NAME)
@points(1)
def check_what_is_written(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With beta 1 and a key of length 1 its value comes back, whatever was in the state; with beta 0 the state stays as it was"""
    state = delta.state(draw, sizes, sizes.B)
    Q, K, V, _ = delta.inputs(draw, sizes, sizes.B, N=1)
    K = F.normalize(K, dim=-1)
    one = torch.ones(sizes.B, 1, dtype=V.dtype)
    Y, _ = delta.parts(student.delta_rule(K, K, V, one, state))
    expect.allclose(Y, V, "Y", size=4.0, setting="one token, beta = 1, the query is the key, which has length 1")
    Y, S = delta.parts(student.delta_rule(Q, K, V, 0 * one, state))
    expect.allclose(S, state, "S", size=4.0, setting="one token, beta = 0")
    expect.allclose(Y, Q @ state, "Y", size=16.0, setting="one token, beta = 0")
    expect.depends_on_its_inputs(Y, delta.parts(student.delta_rule(Q, K, V, one, state))[0], "Y")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to Q, K, V and beta with the right values"""
    delta.gradients_are_right(student, NAME, draw, sizes)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The state that is passed is not changed; dtype and device are kept"""
    delta.nothing_changes(student, NAME, draw, sizes)
