"""cold_start_vector(content, vectors, new_content, ridge)."""

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Request,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
    raises_value_error,
)

NAME = "cold_start_vector"
WHAT = "The new vectors"
#: Known videos, numbers of content, width of the vectors and new videos, the smallest first; fewer videos than numbers.
SIZES = ((2, 1, 1, 1), (5, 2, 3, 1), (3, 5, 2, 7), (7, 7, 7, 7), (37, 5, 11, 3), (101, 13, 7, 1))


def _want(content: Tensor, vectors: Tensor, new_content: Tensor, ridge: float) -> Tensor:
    """The least squares of an augmented system: √ridge for each weight, nothing for the intercept."""
    M, F = content.shape
    above = torch.cat((content, torch.ones(M, 1).double()), dim=1)
    below = torch.cat((ridge**0.5 * torch.eye(F).double(), torch.zeros(F, 1).double()), dim=1)
    wanted = torch.cat((vectors, torch.zeros(F, vectors.shape[1]).double()))
    solved = torch.linalg.lstsq(torch.cat((above, below)), wanted, driver="gelsd").solution
    return new_content @ solved[:-1] + solved[-1]


def _inputs(draw: Draw, M: int, F: int, D: int, new: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw content whose numbers lie far from 0, and vectors that depend on it, but not only."""
    content = draw.normal(M + new, F) + 2 * draw.normal(1, F)
    vectors = content[:M] @ draw.normal(F, D) + draw.normal(M, D, scale=0.5) + 3 * draw.normal(1, D)
    return content[:M], vectors, content[M:]


def _agree(student: Student, inputs: tuple[Tensor, ...], ridge: float, more: str = "") -> Tensor:
    setting = f"content {tuple(inputs[0].shape)}, vectors {tuple(inputs[1].shape)}, {len(inputs[2])} new videos, "
    setting += f"ridge = {ridge:g}{more}"
    got = expect.tensor(student.cold_start_vector(*inputs, ridge), WHAT)
    shape = len(inputs[2]), inputs[1].shape[1]
    expect.shape(got, shape, WHAT, "(new, D)", setting)
    content, vectors, new_content = (x.double() for x in inputs)
    want = _want(content, vectors, new_content, ridge)
    expect.allclose(got, want, WHAT, size=100 * float(want.abs().max()), setting=setting)
    return got


@exercise(NAME)
@points(5)
def check_values(student: Student, draw: Draw) -> None:
    """The new content times the matrix that is best on the known videos, by least squares with a ridge"""
    for M, F, D, new in SIZES:
        for ridge in (0.5, 7.0):
            content, vectors, new_content = _inputs(draw, M, F, D, new)
            middle, centre = content.mean(dim=0), vectors.mean(dim=0)
            _agree(student, (content - middle, vectors - centre, new_content - middle), ridge, ", all means are 0")


@exercise(NAME)
@points(3)
def check_the_means(student: Student, draw: Draw) -> None:
    """Content and vectors may have any means: the ridge pulls towards the mean vector, not towards 0"""
    for M, F, D, new in SIZES:
        for ridge in (0.5, 7.0):
            _agree(student, _inputs(draw, M, F, D, new), ridge)
    inputs = _inputs(draw, 11, 3, 2, 5)
    huge = _agree(student, inputs, 1e9)
    expect.allclose(huge, inputs[1].mean(dim=0).expand(5, -1), WHAT, size=1e10, setting="a ridge of 1e9")


@exercise(NAME)
@points(1)
def check_refused(student: Student, draw: Draw) -> None:
    """A ridge of 0 or below raises a ValueError"""
    inputs = _inputs(draw, 7, 3, 5, 2)
    _agree(student, inputs, 1.0)
    for ridge in (0.0, -1.0):
        raises_value_error(
            f"ridge = {ridge:g}", "Test the ridge, and raise a ValueError.", student.cold_start_vector, *inputs, ridge
        )


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """It keeps dtype and device, works on any memory layout, remembers nothing and changes nothing in place"""
    inputs = _inputs(draw, 23, 5, 3, 7)
    expect.dtype(_agree(student, tuple(x.float() for x in inputs), 2.0, ", float32"), torch.float32, WHAT)
    turned = tuple(x.T.contiguous().T for x in inputs)
    expect.dtype(_agree(student, turned, 2.0, ", transposed tensors"), torch.float64, WHAT)
    answer = student.answer(Request(NAME, (*inputs, 2.0), before=[(*(x.flip(0) for x in inputs), 5.0)]))
    expect.allclose(
        expect.tensor(answer.value, WHAT), _want(*inputs, 2.0), WHAT, size=100.0, setting="after other calls"
    )
    function_works_where_its_inputs_are(student, NAME, *inputs, 2.0)
