"""grid_features(features)."""

import torch

from autograder.checks import Draw, Request, Sizes, Student, exercise, expect, points, promises

NAME = "grid_features"
#: (B, D, height, width), the smallest first. In the last ones, sizes that should be told apart are equal.
SHAPES = (
    (1, 1, 1, 2),
    (1, 1, 2, 2),
    (1, 2, 2, 3),
    (2, 3, 5, 7),
    (3, 11, 7, 2),
    (2, 5, 1, 3),
    (2, 5, 3, 1),
    (5, 2, 1, 1),
    (1, 13, 3, 5),
    (2, 4, 4, 4),
    (2, 6, 2, 3),
    (6, 2, 2, 3),
    (3, 3, 3, 3),
)


def _rows(features):
    """Read the cells one after the other, row by row."""
    _, _, height, width = features.shape
    return torch.stack([features[:, :, i, j] for i in range(height) for j in range(width)], dim=1)


def _compare(student: Student, features, more=""):
    got = expect.tensor(student.grid_features(features), "The result")
    setting = f"features {tuple(features.shape)} = (B, D, height, width){more}"
    expect.shape(got, _rows(features).shape, "The result", "(B, height · width, D)", setting)
    expect.allclose(got, _rows(features), "The result", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """(B, D, height, width) becomes (B, N, D): one vector of width D for each of the N = height · width cells"""
    for B, D, height, width in SHAPES:
        features = draw.normal(B, D, height, width)
        got = expect.tensor(student.grid_features(features), "The result")
        setting = f"features {tuple(features.shape)} = (B, D, height, width)"
        expect.shape(got, (B, height * width, D), "The result", "(B, height · width, D)", setting)
    shape = (2, 3, 5, 7)
    first, second = (expect.tensor(student.grid_features(draw.normal(*shape)), "The result") for _ in range(2))
    expect.depends_on_its_inputs(first, second, "The result")


@exercise(NAME)
@points(2)
def check_row_by_row(student: Student, draw: Draw) -> None:
    """Cell i · width + j holds the features of row i and column j, all D of them, and of no other picture"""
    _compare(student, torch.arange(4.0, dtype=torch.float64).reshape(1, 1, 2, 2), ", numbered from 0")
    _compare(student, torch.arange(12.0, dtype=torch.float64).reshape(1, 2, 2, 3), ", numbered from 0")
    for shape in SHAPES:
        _compare(student, draw.normal(*shape))


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on maps of any memory layout, keeps the dtype, changes nothing in place, and gradients flow back"""
    B, D, height, width = sizes.B, sizes.D_Q, 3, 5
    last = draw.normal(B, D, height, width).contiguous(memory_format=torch.channels_last)
    _compare(student, last, ", in the memory format channels_last")
    _compare(student, draw.normal(B, D, height + 2, width + 1)[:, :, 1:-1, :-1], ", cut out of a larger map")
    whole = draw.integers(100, B, D, height, width).float()
    answer = student.answer(Request(NAME, (whole,)))
    expect.dtype(expect.tensor(answer.value, "The result"), torch.float32, "The result")
    expect.allclose(
        answer.value, _rows(whole), "The result", size=100.0, setting=f"features {tuple(whole.shape)}, float32"
    )
    cotangent = draw.normal(B, height * width, D)
    found = student.answer(Request(NAME, (last,), cotangents=(cotangent,))).gradients
    want = cotangent.mT.reshape(B, D, height, width)
    expect.gradients(found, [want], ("features",), f"features {tuple(last.shape)}")
