"""linear_attention(Q, K, V, state=None)."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    Student,
    computed,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    pair,
    points,
    promises,
)
from autograder.lessons.modern_attention import references

NAME = "linear_attention"


def _parts(value: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return Y, S and z, or fail."""
    Y, state = pair(value, "Y", "(S, z)")
    return expect.component(Y, "Y"), *expect.pair(state, "S", "z")


def _inputs(draw: Draw, sizes: Sizes, *lead: int, N: int = 7, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    return [draw.normal(*lead, N, width, dtype=dtype) for width in (sizes.D_Q, sizes.D_Q, sizes.D_V)]


def _state(draw: Draw, sizes: Sizes, *lead: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Return a state as an earlier chunk leaves it: z is positive."""
    Q, K, V = _inputs(draw, sizes, *lead, N=3, dtype=dtype)
    return references.linear_attention(Q, K, V)[1]


def _agree(student: Student, args: tuple, setting: str) -> tuple[Tensor, Tensor, Tensor]:
    got = _parts(student.linear_attention(*args))
    Y, (S, z) = references.linear_attention(*args)
    for value, want, name in zip(got, (Y, S, z), ("Y", "S", "z"), strict=True):
        expect.allclose(value, want, name, size=max(4.0, float(want.abs().max())), setting=setting)
    return got


@exercise(NAME)
@points(2)
def check_without_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a state Y is the weighted mean of the values up to each row, and the state is what the chunk has summed up"""
    for lead, N in [((), 1), ((), 2), ((), 7), ((sizes.B, sizes.H), 5), ((1, 1), 3), ((2,), 131)]:
        inputs = _inputs(draw, sizes, *lead, N=N)
        _agree(student, tuple(inputs), f"Q {tuple(inputs[0].shape)}, V {tuple(inputs[2].shape)}, no state")


@exercise(NAME)
@points(2)
def check_with_a_state(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A state counts above and below the fraction, and the new state is the old one with the chunk added"""
    for lead, N in [((), 1), ((), 2), ((sizes.B, sizes.H), 5), ((2,), 7)]:
        inputs, state = _inputs(draw, sizes, *lead, N=N), _state(draw, sizes, *lead)
        _agree(student, (*inputs, state), f"Q {tuple(inputs[0].shape)}, with a state")


@exercise(NAME)
@points(2)
def check_three_forms_are_equal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Parallel, token by token, or in chunks of any length, the outputs and the last state are the same"""
    N = 11
    Q, K, V = _inputs(draw, sizes, sizes.B, sizes.H, N=N)
    want, last = references.linear_attention(Q, K, V)
    for pieces in (N, 1, 3, [1, 10], [10, 1], [4, 5, 2]):
        state: tuple[Tensor, Tensor] | None = None
        outputs = []
        for chunk in zip(Q.split(pieces, -2), K.split(pieces, -2), V.split(pieces, -2), strict=True):
            Y, S, z = _parts(
                student.linear_attention(*chunk) if state is None else student.linear_attention(*chunk, state)
            )
            state = S, z
            outputs.append(Y)
        setting = f"{N} rows in chunks of {pieces}"
        expect.allclose(torch.cat(outputs, -2), want, "Y", size=4.0, setting=setting)
        for value, expected, name in zip((S, z), last, ("S", "z"), strict=True):
            expect.allclose(value, expected, name, size=40.0, setting=f"the state after {setting}")


@exercise(NAME)
@points(1)
def check_equal_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """If every value so far is the same vector, so is every output: the weights of a row sum to 1"""
    Q, K, _ = _inputs(draw, sizes, sizes.B, sizes.H)
    v = draw.normal(sizes.D_V)
    V = v.expand(*Q.shape[:-1], sizes.D_V).clone()
    state = None
    for setting in ("no state", "with the state of the same rows"):
        Y, *both = _parts(
            student.linear_attention(Q, K, V) if state is None else student.linear_attention(Q, K, V, state)
        )
        expect.allclose(Y, V, "Y", size=4.0, setting=f"every value is one vector, {setting}")
        state = tuple(both)
    # The values as they are, and a mean with the same weights everywhere, have the property, too.
    V = draw.normal(*V.shape)
    Y, other = (_parts(student.linear_attention(*rows, V))[0] for rows in ((Q, K), (K, Q)))
    computed(Y, V, "Y", "V")
    expect.depends_on_its_inputs(Y, other, "Y")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to Q, K and V with the right values"""
    inputs = _inputs(draw, sizes, sizes.B)
    state = _state(draw, sizes, sizes.B)
    for before, setting in ((None, "no state"), (state, "with a state")):
        G = draw.normal(*inputs[2].shape)
        given = (*inputs,) if before is None else (*inputs, before)
        answer = student.answer(Request(NAME, given, cotangents=(G,)))
        Q, K, V = (x.clone().requires_grad_() for x in inputs)
        want = torch.autograd.grad((references.linear_attention(Q, K, V, before)[0] * G).sum(), (Q, K, V))
        expect.gradients(answer.gradients[:3], want, ("Q", "K", "V"), setting)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The state that is passed is not changed; dtype and device are kept"""
    inputs = _inputs(draw, sizes, sizes.B, dtype=torch.float32)
    state = _state(draw, sizes, sizes.B, dtype=torch.float32)
    got = _agree(student, (*inputs, state), "float32, with a state")
    for value, name in zip(got, ("Y", "S", "z"), strict=True):
        expect.dtype(value, torch.float32, name)
    function_works_where_its_inputs_are(student, NAME, *inputs, state)
