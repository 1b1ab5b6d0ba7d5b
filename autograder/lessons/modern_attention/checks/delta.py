"""What the checks of the delta rule share: inputs under which it stays bounded, and the comparison with it."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks import Draw, Request, Sizes, Student, expect, function_works_where_its_inputs_are
from autograder.lessons.modern_attention import references


def inputs(
    draw: Draw, sizes: Sizes, *lead: int, N: int = 7, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return Q, K, V and beta. Keys have lengths from 0.6 to 1.2, so that no step reaches farther than its value."""
    Q, K, V = (draw.normal(*lead, N, width, dtype=dtype) for width in (sizes.D_Q, sizes.D_Q, sizes.D_V))
    lengths = 0.6 + 0.2 * draw.integers(4, *lead, N, 1).to(dtype)
    return Q, F.normalize(K, dim=-1) * lengths, V, draw.normal(*lead, N, dtype=dtype).sigmoid()


def state(draw: Draw, sizes: Sizes, *lead: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return a state as earlier tokens leave it."""
    return draw.normal(*lead, sizes.D_Q, sizes.D_V, dtype=dtype)


def parts(value: Any) -> tuple[Tensor, Tensor]:
    """Return Y and S, or fail."""
    return expect.pair(value, "Y", "S")


def agree(student: Student, name: str, args: tuple[Tensor, ...], setting: str) -> tuple[Tensor, Tensor]:
    """Compare outputs and state with the definition, and return the student's."""
    got = parts(student.call(name, *args))
    for value, want, what in zip(got, references.delta_rule(*args), ("Y", "S"), strict=True):
        expect.allclose(value, want, what, size=max(4.0, float(want.abs().max())), setting=setting)
    return got


def in_pieces(
    student: Student, name: str, given: tuple[Tensor, ...], lengths: int | list[int]
) -> tuple[Tensor, Tensor]:
    """Return the outputs and the last state of a text that is handed over in pieces, with the state in between."""
    S: Tensor | None = None
    outputs = []
    axes = (-2, -2, -2, -1)
    for piece in zip(*(X.split(lengths, axis) for X, axis in zip(given, axes, strict=True)), strict=True):
        Y, S = parts(student.call(name, *piece) if S is None else student.call(name, *piece, S))
        outputs.append(Y)
    assert S is not None
    return torch.cat(outputs, -2), S


def gradients_are_right(student: Student, name: str, draw: Draw, sizes: Sizes) -> None:
    """Compare the gradients of the outputs with those of the definition, without a state and with one."""
    given = inputs(draw, sizes, sizes.B)
    for before, setting in ((None, "no state"), (state(draw, sizes, sizes.B), "with a state")):
        G = draw.normal(*given[2].shape)
        args = given if before is None else (*given, before)
        answer = student.answer(Request(name, args, cotangents=(G,)))
        Q, K, V, beta = leaves = [x.clone().requires_grad_() for x in given]
        want = torch.autograd.grad((references.delta_rule(Q, K, V, beta, before)[0] * G).sum(), leaves)
        expect.gradients(answer.gradients[:4], want, ("Q", "K", "V", "beta"), setting)


def nothing_changes(student: Student, name: str, draw: Draw, sizes: Sizes) -> None:
    """Fail unless the results have the dtype and the device of the inputs, with a state and without."""
    given = inputs(draw, sizes, sizes.B, dtype=torch.float32)
    before = state(draw, sizes, sizes.B, dtype=torch.float32)
    got = agree(student, name, (*given, before), "float32, with a state")
    for value, what in zip(got, ("Y", "S"), strict=True):
        expect.dtype(value, torch.float32, what)
    function_works_where_its_inputs_are(student, name, *given, before)
    function_works_where_its_inputs_are(student, name, *given)
