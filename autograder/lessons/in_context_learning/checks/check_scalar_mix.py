"""scalar_mix(states, weights, gamma)."""

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises
from autograder.lessons.in_context_learning import references

NAME = "scalar_mix"
GIVEN = ("states", "weights", "gamma")
#: (layers, B, N, D), the smallest first. In the last ones, different things are equally many.
SIZES = (
    (1, 1, 1, 1),
    (2, 1, 1, 1),
    (2, 1, 2, 3),
    (3, 2, 5, 7),
    (5, 3, 1, 2),
    (3, 3, 3, 3),
    (4, 2, 4, 4),
    (2, 1, 37, 5),
)


def _inputs(draw: Draw, *shape: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    gamma = 1.3 + draw.normal(1).abs().reshape(())  # well away from 1
    return draw.normal(*shape, dtype=dtype), draw.normal(shape[0], dtype=dtype), gamma.to(dtype)


def _agree(student: Student, given: tuple[Tensor, Tensor, Tensor], more: str = "") -> Tensor:
    states, weights, gamma = given
    setting = f"states {tuple(states.shape)}, weights {expect.numbers(weights)}, gamma {float(gamma):.3f}{more}"
    mix = expect.tensor(student.scalar_mix(*given), "The mix")
    expect.shape(mix, states.shape[1:], "The mix", "(B, N, D)", setting)
    want = references.scalar_mix(*(part.double() for part in given))
    expect.allclose(mix, want, "The mix", size=float(want.abs().max()), setting=setting)
    return mix


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """The layers are added up with the softmax of the weights, and the sum is multiplied by gamma"""
    for shape in SIZES:
        _agree(student, _inputs(draw, *shape))
        states, weights, gamma = _inputs(draw, *shape)
        _agree(student, (states, 100 * weights, gamma), ", weights of about ±100")
        _agree(student, (states, 1000 * weights, gamma), ", weights of about ±1000")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """States, weights and gamma all learn: their gradients have the right values"""
    for shape in SIZES[1:5]:
        given = _inputs(draw, *shape)
        cotangent = draw.normal(*shape[1:])
        _agree(student, given)
        found = student.answer(Request(NAME, given, cotangents=(cotangent,))).gradients
        leaves = [part.clone().requires_grad_() for part in given]
        want = torch.autograd.grad((references.scalar_mix(*leaves) * cotangent).sum(), leaves)
        expect.gradients(found, want, GIVEN, f"states {shape}")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """It keeps the dtype, works on any memory layout and changes nothing in place"""
    for dtype in (torch.float64, torch.float32):
        given = _inputs(draw, 3, 2, 5, 7, dtype=dtype)
        expect.dtype(_agree(student, given), dtype, "The mix")
        _agree(student, (given[0].mT.contiguous().mT, *given[1:]), ", a transposed tensor")
