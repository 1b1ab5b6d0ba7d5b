"""patchify(images, patch_size)."""

import torch

from autograder.checks import (
    Draw,
    Sizes,
    Student,
    computes,
    exercise,
    expect,
    function_gradients_agree,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import functions

NAME = "patchify"
WHAT, MEANING = "The result", "(B, N, C · P · P)"
#: (B, C, H, W, P), the smallest first. In the last ones, sizes that should be told apart are equal.
SIZES = (
    (1, 1, 2, 4, 2),
    (1, 2, 2, 2, 2),
    (1, 2, 4, 2, 2),
    (2, 3, 5, 7, 1),
    (3, 5, 6, 4, 2),
    (2, 3, 6, 15, 3),
    (2, 3, 15, 6, 3),
    (1, 3, 5, 5, 5),
    (5, 2, 14, 21, 7),
    (4, 4, 4, 4, 2),
    (3, 3, 9, 9, 3),
    (2, 2, 2, 2, 1),
)


def _compare(student: Student, images, P, more=""):
    setting = f"images {tuple(images.shape)} = (B, C, H, W){more}, patch_size = {P}"
    functions.same_value(student, NAME, (images, P), references.patchify(images, P), WHAT, MEANING, setting)


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """(B, C, H, W) becomes (B, N, C·P·P): one row for each of the N = (H / P) · (W / P) patches"""
    for B, C, H, W, P in SIZES:
        images = draw.normal(B, C, H, W)
        got = expect.tensor(student.patchify(images, P), WHAT)
        setting = f"images {tuple(images.shape)} = (B, C, H, W), patch_size = {P}"
        expect.shape(got, (B, (H // P) * (W // P), C * P * P), WHAT, MEANING, setting)
        other = expect.tensor(student.patchify(2 * images, P), WHAT)
        expect.depends_on_its_inputs(got, other, WHAT)


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Patches come row by row; in each, all pixels of the first channel, row by row, then those of the second, and so on"""
    for B, C, H, W, P in ((1, 1, 2, 4, 2), (1, 1, 4, 4, 2), (1, 2, 4, 4, 2), (1, 3, 2, 4, 1)):
        _compare(student, functions.pixels(B, C, H, W), P, ", pixels numbered from 0")
    for *shape, P in SIZES:
        _compare(student, draw.normal(*shape), P)


@exercise(NAME)
@points(1)
def check_size_must_divide(student: Student, draw: Draw) -> None:
    """A height or a width that is no multiple of the patch size raises an error"""
    computes(student.patchify, (draw.normal(2, 3, 6, 9), 3), (draw.normal(2, 3, 6, 9), 3), "The result")
    # Some have the pixels of whole patches, if they are cut in another way.
    for H, W, P in ((7, 6, 3), (6, 7, 3), (5, 4, 2), (4, 9, 6), (8, 2, 4), (2, 8, 4)):
        raises_value_error(
            f"A picture of {H} x {W} pixels with patches of {P} x {P}",
            "Compare H % patch_size and W % patch_size with 0 before anything else, and raise a ValueError that says what "
            "was expected. Cutting off what is left over would lose a part of the picture without a word.",
            student.patchify,
            draw.normal(2, 3, H, W),
            P,
        )


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on pictures of any memory layout, keeps the dtype, changes nothing in place, and gradients flow back"""
    B, C, H, W, P = sizes.B, sizes.H, 6, 10, 2
    images = draw.normal(B, C, H, W).contiguous(memory_format=torch.channels_last)
    _compare(student, images, P, ", in the memory format channels_last")
    _compare(student, draw.normal(B, C, H + 2, W + 1)[:, :, 1:-1, :-1], P, ", cut out of larger ones")
    functions.keeps(student, NAME, (images.float(), P), references.patchify, WHAT, ("images",))
    cotangent = draw.normal(B, 15, C * P * P)
    function_gradients_agree(student, NAME, (images, P), references.patchify, cotangent, ("images",))
