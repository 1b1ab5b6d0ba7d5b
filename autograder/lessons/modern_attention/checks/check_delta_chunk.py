"""delta_chunk(Q, K, V, beta, S=None): the delta rule for a chunk at once."""

import functools

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Sizes,
    SpeedTarget,
    Student,
    exercise,
    expect,
    measured,
    points,
    promises,
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import delta

NAME = "delta_chunk"
#: Tokens of the chunk that is timed. On the device "meta" shapes are computed and no numbers: a product takes as long for many
#: tokens as for few, and a loop a thousand times as long for a thousand times as many.
RACED = 2_003
_NO_LOOP = (
    "A loop over tokens takes a step of Python for each. Solve the system for all at once, and read with products."
)
SPEED = SpeedTarget(
    NAME,
    full=20.0,
    part=60.0,
    against="a triangular system and four products",
    setting=f"{RACED:,} tokens, without numbers (device meta), one thread, processor time",
    hint=_NO_LOOP,
)
#: Tokens of a chunk with numbers, so few that products of their matrices cost little beside a step of Python. A right answer
#: takes a sixth of the loop's time at most (with 131 tokens, and the inverse as a product of powers, it was a half), a loop that
#: only solves the system two fifths, any other seven tenths. Who tells by the device what is timed is found here.
WITH_NUMBERS = 67
COMPUTED = SpeedTarget(
    NAME,
    full=0.28,
    part=0.28,
    against="delta_rule, token by token",
    setting=f"{WITH_NUMBERS} tokens, one thread, processor time",
    hint=_NO_LOOP,
    rival="delta_rule",
)


@exercise(NAME)
@points(2)
def check_without_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a state a chunk has the outputs and the state of the recurrent form"""
    for lead, N in [((), 1), ((), 2), ((), 7), ((sizes.B, sizes.H), 5), ((1, 1), 3), ((2,), 67)]:
        inputs = delta.inputs(draw, sizes, *lead, N=N)
        delta.agree(student, NAME, inputs, f"K {tuple(inputs[1].shape)}, V {tuple(inputs[2].shape)}, no state")


@exercise(NAME)
@points(2)
def check_with_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The state before the chunk is read by keys and queries, and carried on"""
    for lead, N in [((), 1), ((), 2), ((sizes.B, sizes.H), 5), ((2,), 7)]:
        inputs, state = delta.inputs(draw, sizes, *lead, N=N), delta.state(draw, sizes, *lead)
        delta.agree(student, NAME, (*inputs, state), f"K {tuple(inputs[1].shape)}, with a state")


@exercise(NAME)
@points(2)
def check_chunks_are_equal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In one chunk, or in chunks of any length, the last one shorter, the outputs and the last state are the same"""
    N = 23
    given = delta.inputs(draw, sizes, sizes.B, sizes.H, N=N)
    for lengths in (N, 1, 4, 8, [1, 22], [22, 1], [7, 5, 11]):
        got = delta.in_pieces(student, NAME, given, lengths)
        setting = f"{N} tokens in chunks of {lengths}"
        for value, want, what in zip(got, references.delta_rule(*given), ("Y", "S"), strict=True):
            expect.allclose(value, want, what, size=max(4.0, float(want.abs().max())), setting=setting)


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


def _raced(sizes: Sizes) -> tuple[Tensor, ...]:
    shapes = ((RACED, sizes.D_Q), (RACED, sizes.D_Q), (RACED, sizes.D_V), (RACED,))
    return tuple(torch.empty(shape, device="meta") for shape in shapes)


@exercise(NAME)
@points(1)
@measured
def check_no_loop(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A chunk of many tokens takes a few products of matrices, not a loop over tokens"""
    delta.agree(student, NAME, delta.inputs(draw, sizes, N=61), "61 tokens")
    SPEED.check(student, functools.partial(_raced, sizes), lambda: None)
    fresh = functools.partial(delta.inputs, draw, sizes, N=WITH_NUMBERS)
    COMPUTED.check(student, fresh, lambda: delta.agree(student, NAME, fresh(), f"{WITH_NUMBERS} tokens"))
