"""unpatchify(patches, patch_size, height, width)."""

import torch.nn.functional as F

from autograder.checks import (
    Draw,
    Sizes,
    Student,
    exercise,
    expect,
    function_gradients_agree,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.vit.checks import functions
from autograder.lessons.vit.checks.check_patchify import SIZES

NAME = "unpatchify"
WHAT, MEANING = "The pictures", "(B, C, height, width)"


def _fold(patches, patch_size, height, width):
    """Return what PyTorch's fold makes of the patches; they do not overlap, so nothing is added up."""
    return F.fold(patches.mT, (height, width), patch_size, stride=patch_size)


def _compare(student: Student, patches, P, H, W, more=""):
    setting = f"patches {tuple(patches.shape)}{more}, patch_size = {P}, height = {H}, width = {W}"
    functions.same_value(student, NAME, (patches, P, H, W), _fold(patches, P, H, W), WHAT, MEANING, setting)


def _patches(draw: Draw, B, C, H, W, P):
    return draw.normal(B, (H // P) * (W // P), C * P * P)


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """(B, N, C·P·P) becomes (B, C, height, width), with as many channels as the patches have"""
    for B, C, H, W, P in SIZES:
        patches = _patches(draw, B, C, H, W, P)
        got = expect.tensor(student.unpatchify(patches, P, H, W), WHAT)
        setting = f"patches {tuple(patches.shape)}, patch_size = {P}, height = {H}, width = {W}"
        expect.shape(got, (B, C, H, W), WHAT, MEANING, setting)
        other = expect.tensor(student.unpatchify(2 * patches, P, H, W), WHAT)
        expect.depends_on_its_inputs(got, other, WHAT)


@exercise(NAME)
@points(1)
def check_values(student: Student, draw: Draw) -> None:
    """Every pixel lies where it was before patchify: rows and columns, channels and pictures"""
    for B, C, H, W, P in ((1, 1, 2, 4, 2), (1, 1, 4, 4, 2), (1, 2, 4, 4, 2), (1, 3, 2, 4, 1)):
        patches = F.unfold(functions.pixels(B, C, H, W), P, stride=P).mT
        _compare(student, patches, P, H, W, " of pictures whose pixels are numbered from 0")
    for B, C, H, W, P in SIZES:
        _compare(student, _patches(draw, B, C, H, W, P), P, H, W)


@exercise(NAME)
@points(1)
def check_size_must_fit(student: Student, draw: Draw) -> None:
    """Patches that fill a picture of that height and width are put together, and others raise an error"""
    _compare(student, _patches(draw, 2, 3, 6, 9, 3), 3, 6, 9)
    # N, width of a patch, P, height, width: some could be dealt out in another way.
    for N, wide, P, H, W in (
        (6, 27, 3, 7, 6),
        (6, 27, 3, 6, 10),
        (5, 12, 2, 4, 4),
        (3, 12, 2, 4, 4),
        (1, 12, 2, 4, 4),
        (3, 12, 2, 3, 4),  # as many pixels as the patches have
        (6, 27, 3, 27, 2),
        (6, 12, 2, 4, 4),
        (8, 16, 2, 4, 4),
        (4, 10, 2, 4, 4),
    ):
        raises_value_error(
            f"{N} patches of {wide} numbers for {H} x {W} pixels, with patch_size = {P},",
            "The patch size has to divide height and width, there have to be (height / P) · (width / P) patches, and P · P "
            "has to divide the width of a patch. Compare before anything else, and raise a ValueError.",
            student.unpatchify,
            draw.normal(2, N, wide),
            P,
            H,
            W,
            error="ValueError" if wide % P**2 == 0 else "",  # the text does not speak of the patches' width
        )


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on patches of any memory layout, keeps the dtype, changes nothing in place, and gradients flow back"""
    B, C, H, W, P = sizes.B, sizes.H, 6, 10, 2
    patches = draw.normal(B, C * P * P, 15).mT  # not contiguous
    _compare(student, patches, P, H, W, ", a transposed tensor")
    functions.keeps(student, NAME, (patches.float(), P, H, W), _fold, WHAT, ("patches",))
    cotangent = draw.normal(B, C, H, W)
    function_gradients_agree(student, NAME, (patches, P, H, W), _fold, cotangent, ("patches",))
