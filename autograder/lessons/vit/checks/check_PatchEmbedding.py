"""PatchEmbedding(channels, patch_size, model_width)."""

import torch
import torch.nn.functional as F

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.vit import references

NAME = "PatchEmbedding"
BUILD = (3, 2, 13)
WHAT = ("X",)
#: (channels, patch_size, model_width), then (B, H, W).
CASES = (
    ((1, 1, 2), (1, 2, 2)),
    ((2, 2, 3), (1, 2, 4)),
    ((3, 2, 13), (2, 6, 10)),
    ((3, 2, 13), (5, 10, 6)),
    ((5, 3, 7), (2, 3, 9)),
)


def _twins(student: Student, draw: Draw, build=BUILD, dtype=torch.float64):
    return ModulePair(student, NAME, build, references.PatchEmbedding(*build), draw, dtype)


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """The module has `projection` alone, and gives one vector for each patch, (B, N, D)"""
    has_parameters(student, NAME, BUILD, dict(references.PatchEmbedding(*BUILD).named_parameters()))
    for build, (B, H, W) in CASES:
        C, P, D = build
        module, images = _twins(student, draw, build).module, draw.normal(B, C, H, W)
        setting = f"images {tuple(images.shape)}, patch_size = {P}"
        expect.shape(expect.tensor(module(images), "X"), (B, (H // P) * (W // P), D), "X", "(B, N, D)", setting)
        uses_its_inputs(module, (images,), (images.square(),))


@exercise(NAME)
@points(2)
def check_is_a_strided_convolution(student: Student, draw: Draw) -> None:
    """It is what a convolution gives whose kernels are the rows of the projection and whose stride is the patch size"""
    for build, (B, H, W) in CASES:
        C, P, D = build
        twins, images = _twins(student, draw, build), draw.normal(B, C, H, W)
        kernels = twins.weights["projection.weight"].reshape(D, C, P, P)
        want = F.conv2d(images, kernels, twins.weights["projection.bias"], stride=P).flatten(2).mT
        got = expect.tensor(twins.module(images), "X")
        setting = f"images {tuple(images.shape)}, patch_size = {P}, model_width = {D}"
        expect.shape(got, want.shape, "X", "(B, N, D)", setting)
        expect.allclose(got, want, "X", size=8.0, setting=setting)


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_repetition(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients are right; the same pictures give the same vectors, in float32 too, and are not changed"""
    twins, images = _twins(student, draw), draw.normal(sizes.B, 3, 6, 10)
    twins.gradients_agree(images, draw=draw, names=("images",))
    same_twice(twins.module, images)
    no_side_effects(twins, [(images[:1],), (images.mT,)], images, what=WHAT)
    twins.agree(images.mT, what=WHAT)
    single = _twins(student, draw, dtype=torch.float32)
    expect.dtype(expect.tensor(single.agree(images.float(), what=WHAT), "X"), torch.float32, "X")
