"""delta_chunk(Q, K, V, beta, S=None): the delta rule for a chunk at once."""

import functools

import torch

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    SpeedTarget,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    measured,
    points,
    promises,
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import delta

NAME = "delta_chunk"
#: Tokens of the chunk that is timed.
RACED = 61
SPEED = SpeedTarget(
    NAME,
    full=10.0,
    part=20.0,
    against="a triangular system and four products",
    setting=f"{RACED} tokens, keys of width 11, float32, one thread, processor time",
    hint="A loop over tokens is a step of Python for each. Solve the system for all at once, and read with products.",
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
    inputs = delta.inputs(draw, sizes, sizes.B)
    for before, setting in ((None, "no state"), (delta.state(draw, sizes, sizes.B), "with a state")):
        G = draw.normal(*inputs[2].shape)
        given = inputs if before is None else (*inputs, before)
        answer = student.answer(Request(NAME, given, cotangents=(G,)))
        Q, K, V, beta = leaves = [x.clone().requires_grad_() for x in inputs]
        want = torch.autograd.grad((references.delta_rule(Q, K, V, beta, before)[0] * G).sum(), leaves)
        expect.gradients(answer.gradients[:4], want, ("Q", "K", "V", "beta"), setting)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The state that is passed is not changed; dtype and device stay"""
    inputs = delta.inputs(draw, sizes, sizes.B, dtype=torch.float32)
    state = delta.state(draw, sizes, sizes.B, dtype=torch.float32)
    got = delta.agree(student, NAME, (*inputs, state), "float32, with a state")
    for value, name in zip(got, ("Y", "S"), strict=True):
        expect.dtype(value, torch.float32, name)
    function_works_where_its_inputs_are(student, NAME, *inputs, state)
    function_works_where_its_inputs_are(student, NAME, *inputs)


def _right(student: Student, draw: Draw, sizes: Sizes) -> None:
    delta.agree(student, NAME, _raced(draw, sizes), f"{RACED} tokens, float32")


def _raced(draw: Draw, sizes: Sizes) -> tuple:
    return delta.inputs(draw, sizes, N=RACED, dtype=torch.float32)


@exercise(NAME)
@points(1)
@measured
def check_no_loop(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A chunk of many tokens takes the time of a few products of matrices, not of a loop over tokens"""
    SPEED.check(
        student,
        functools.partial(_raced, draw, sizes),
        lambda: _right(student, draw, sizes),
    )
