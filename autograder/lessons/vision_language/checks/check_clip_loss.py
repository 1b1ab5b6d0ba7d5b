"""clip_loss(images, texts, log_scale, same=None)."""

import math

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)
from autograder.lessons.vision_language import references
from autograder.lessons.vision_language.checks.unit_vectors import gradients_agree, unit
from autograder.lessons.vit.checks import functions

NAME = "clip_loss"
WHAT, MEANING = "The loss", "one number"
#: (B, D), the smallest first.
SIZES = ((1, 3), (2, 3), (3, 2), (5, 7), (7, 5), (11, 3))
NAMES = ("images", "texts", "log_scale")


def _inputs(draw: Draw, B: int, D: int, scale=None) -> tuple[Tensor, Tensor, Tensor]:
    log_scale = draw.normal() + 1 if scale is None else torch.tensor(math.log(scale), dtype=torch.float64)
    return unit(draw.normal(B, D)), unit(draw.normal(B, D)), log_scale


def _same(draw: Draw, B: int, captions: int) -> Tensor:
    """Draw which of B pairs share a caption. Of three pairs or more, the first and the last do."""
    said = draw.integers(captions, B)
    if B > 2:
        said[-1] = said[0]
    return said[:, None] == said


def _alike(draw: Draw, B: int) -> Tensor:
    """Draw which of B pairs say the same, where the first says what each of the next two says, and these differ."""
    same = _same(draw, B, B).fill_diagonal_(True)
    same[0, 1] = same[1, 0] = same[0, 2] = same[2, 0] = True
    same[1, 2] = same[2, 1] = False
    return same


def _compare(student: Student, args: tuple, more="") -> None:
    setting = f"images and texts {tuple(args[0].shape)} = (B, D), scale = {float(args[2].exp()):.3g}{more}"
    functions.same_value(student, NAME, args, references.clip_loss(*args), WHAT, MEANING, setting)


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the vectors; vectors that are alike give log B"""
    for B, D in SIZES[1:]:
        for dtype in (torch.float64, torch.float32):
            images, texts, log_scale = (x.to(dtype) for x in _inputs(draw, B, D, 3.0))
            got = expect.tensor(student.clip_loss(images, texts, log_scale), WHAT)
            other = expect.tensor(student.clip_loss(images.flip(0), texts, log_scale), WHAT)
            expect.shape(got, (), WHAT, MEANING, f"images and texts {(B, D)} = (B, D)")
            expect.dtype(got, dtype, WHAT)
            expect.depends_on_its_inputs(got, other, WHAT)
        alike = unit(draw.normal(1, D)).expand(B, D).clone()
        for same in ((), (_same(draw, B, 2),)):
            given = (alike, alike, log_scale.double(), *same)
            want = torch.tensor(math.log(B), dtype=torch.float64)
            functions.same_value(student, NAME, given, want, WHAT, MEANING, f"{B} equal vectors")


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """Without `same` it is the mean of two cross-entropies: of each picture's own text, and of each text's own picture"""
    for B, D in SIZES:
        for scale in (None, 1.0, 14.3, 100.0, 317.0, 0.01):
            _compare(student, _inputs(draw, B, D, scale))


@exercise(NAME)
@points(2)
def check_equal_captions(student: Student, draw: Draw) -> None:
    """With `same`, the target is shared equally by all pairs that say the same, in both directions"""
    for B, D in SIZES:
        for captions in (2, 4, 1):
            same = _same(draw, B, captions)
            _compare(student, (*_inputs(draw, B, D), same), f", {captions} captions")
        _compare(student, (*_inputs(draw, B, D), torch.eye(B, dtype=torch.bool)), ", all captions different")
        if B > 2:
            _compare(student, (*_inputs(draw, B, D), _alike(draw, B)), ", pair 0 says what 1 and 2 say, who differ")


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The gradients are right, that of log_scale too; any memory layout and device will do, and arguments stay as they are"""
    for same in ((), (_same(draw, 7, 3),)):
        args = (*_inputs(draw, 7, 5), *same)
        cotangent = torch.tensor(1.7, dtype=torch.float64)
        gradients_agree(student, NAME, args, references.clip_loss, cotangent, NAMES, NAMES[:2])
        single = tuple(x.float() if x.is_floating_point() else x for x in args)
        functions.keeps(student, NAME, single, references.clip_loss, WHAT, (*NAMES, "same")[: len(single)])
        images, texts, *rest = args
        _compare(student, (images.T.contiguous().T, texts.T.contiguous().T, *rest), ", transposed in memory")
        function_works_where_its_inputs_are(student, NAME, *args)
