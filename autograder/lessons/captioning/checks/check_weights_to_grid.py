"""weights_to_grid(weights, height, width)."""

import torch

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    Student,
    computes,
    exercise,
    expect,
    points,
    promises,
    raises_value_error,
)

NAME = "weights_to_grid"
GRIDS = ((2, 3), (3, 5), (7, 2), (1, 4), (4, 1), (1, 1), (3, 3))


def _leads(sizes: Sizes):
    return [(), (sizes.B,), (sizes.B, sizes.N_Q), (sizes.B, sizes.H, sizes.N_Q), (1, 1)]


def _grid(weights, height, width):
    """Put the weights into the grid one after the other."""
    grid = weights.new_zeros(*weights.shape[:-1], height, width)
    for cell in range(height * width):
        grid[..., cell // width, cell % width] = weights[..., cell]
    return grid


def _compare(student: Student, weights, height, width, more=""):
    got = expect.tensor(student.weights_to_grid(weights, height, width), "The grid")
    setting = f"weights {tuple(weights.shape)}{more}, height = {height}, width = {width}"
    expect.shape(got, (*weights.shape[:-1], height, width), "The grid", "(…, height, width)", setting)
    expect.allclose(got, _grid(weights, height, width), "The grid", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
def check_shape(student: Student, sizes: Sizes, draw: Draw) -> None:
    """(…, N) becomes (…, height, width), for any leading dimensions"""
    for lead in _leads(sizes):
        for height, width in GRIDS:
            weights = draw.normal(*lead, height * width)
            got = expect.tensor(student.weights_to_grid(weights, height, width), "The grid")
            setting = f"weights {tuple(weights.shape)}, height = {height}, width = {width}"
            expect.shape(got, (*lead, height, width), "The grid", "(…, height, width)", setting)
            if height * width > 1:
                other = student.weights_to_grid(draw.normal(*lead, height * width), height, width)
                expect.depends_on_its_inputs(got, expect.tensor(other, "The grid"), "The grid")


@exercise(NAME)
@points(2)
def check_row_by_row(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The weight of cell i · width + j is in row i and column j, unchanged"""
    for height, width in ((2, 2), (2, 3)):
        numbered = torch.arange(float(height * width), dtype=torch.float64)  # the smallest example first
        _compare(student, numbered, height, width, " numbered from 0")
    for lead in _leads(sizes):
        for height, width in GRIDS:
            _compare(student, draw.normal(*lead, height * width).softmax(-1), height, width)


@exercise(NAME)
@points(1)
def check_weights_that_do_not_fill_the_grid(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A number of weights other than height · width raises an error"""
    computes(student.weights_to_grid, (draw.normal(sizes.B, 15), 3, 5), (draw.normal(sizes.B, 15), 3, 5), "The grid")
    # The last ones could be dealt out to grids of that size in another way: 2 · 6 = 12, 4 · 6 = 2 · 12, 12 = 2 · 6.
    for lead, N, height, width in [
        ((), 7, 2, 3),
        ((), 5, 2, 3),
        ((2,), 16, 5, 3),
        ((2,), 6, 3, 4),
        ((4,), 6, 3, 4),
        ((), 12, 2, 3),
        ((3,), 10, 3, 5),
    ]:
        raises_value_error(
            f"A grid of {height} rows and {width} columns for {N} weights, {(*lead, N)} in all,",
            "Compare the last axis of the weights with height · width before anything else, and raise a ValueError "
            "that says what was expected.",
            student.weights_to_grid,
            draw.normal(*lead, N),
            height,
            width,
        )


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on weights of any memory layout, keeps the dtype, changes nothing in place, and gradients flow back"""
    transposed = draw.normal(15, sizes.B).T
    _compare(student, transposed, 3, 5, ", a transposed tensor")
    _compare(student, draw.normal(sizes.B, sizes.N_Q, 20)[:, 1:, 3:18], 5, 3, ", cut out of a larger one")
    _compare(student, draw.normal(sizes.B, 1, 15).expand(-1, sizes.N_Q, -1), 3, 5, ", an expanded tensor")
    weights = draw.normal(sizes.B, 15, dtype=torch.float32)
    answer = student.answer(Request(NAME, (weights, 3, 5)))
    got = expect.tensor(answer.value, "The grid")
    expect.dtype(got, torch.float32, "The grid")
    expect.allclose(got, _grid(weights, 3, 5), "The grid", size=4.0, setting=f"weights {tuple(weights.shape)}, float32")
    cotangent = draw.normal(sizes.B, 3, 5)
    found = student.answer(Request(NAME, (draw.normal(sizes.B, 15), 3, 5), cotangents=(cotangent,))).gradients
    expect.gradients(found, [cotangent.flatten(1)], ("weights",), f"weights {(sizes.B, 15)}")
