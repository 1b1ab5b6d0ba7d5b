"""zero_shot(images, prompts)."""

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, points, promises
from autograder.lessons.vision_language import references
from autograder.lessons.vision_language.checks.unit_vectors import gradients_agree, unit
from autograder.lessons.vit.checks import functions

NAME = "zero_shot"
WHAT, MEANING = "The similarity", "(N, C)"
#: (N, C, P, D), the smallest first, but for a single class, where probabilities say nothing. In the last ones, sizes that should
#: be told apart are equal.
SIZES = ((1, 2, 1, 3), (1, 1, 1, 2), (2, 1, 3, 2), (5, 2, 3, 7), (3, 7, 5, 2), (4, 4, 4, 4), (3, 5, 5, 5), (2, 3, 2, 2))


def _inputs(draw: Draw, N, C, P, D):
    common = 2 * draw.normal(C, 1, D)  # prompts of a class are alike, of some classes more than of others
    return unit(draw.normal(N, D)), unit(common + draw.normal(C, P, D) * (1 + draw.normal(C, 1, 1).abs()))


def _compare(student: Student, images, prompts, more=""):
    setting = f"images {tuple(images.shape)} = (N, D), prompts {tuple(prompts.shape)} = (C, P, D){more}"
    want = references.zero_shot(images, prompts)
    try:
        functions.same_value(student, NAME, (images, prompts), want, WHAT, MEANING, setting)
    except CheckFailure as failure:
        received = failure.received
        if failure.kind == "value" and isinstance(received, torch.Tensor) and _probabilities(received):
            failure.cause = "a softmax over the classes"
            failure.hint = (
                "Your rows are probabilities: none is below 0, and each row sums to 1. The text asks for the cosines."
            )
        raise


def _probabilities(found: torch.Tensor) -> bool:
    """Return whether the rows, each of several classes, sum to 1 without an entry below 0: cosines do not."""
    rows = found.double()
    return rows.dim() == 2 and len(rows[0]) > 1 and bool((rows >= 0).all() and ((rows.sum(1) - 1).abs() < 1e-5).all())


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """N pictures and C classes give similarities (N, C), whatever the number of prompts"""
    for N, C, P, D in SIZES:
        images, prompts = _inputs(draw, N, C, P, D)
        got = expect.tensor(student.zero_shot(images, prompts), WHAT)
        setting = f"images {(N, D)} = (N, D), prompts {(C, P, D)} = (C, P, D)"
        expect.shape(got, (N, C), WHAT, MEANING, setting)
        expect.depends_on_its_inputs(got, expect.tensor(student.zero_shot(-images, prompts), WHAT), WHAT)


@exercise(NAME)
@points(1)
def check_values(student: Student, draw: Draw) -> None:
    """It is the cosine of each picture's vector and the direction of the mean of a class's prompts"""
    for size in SIZES:
        _compare(student, *_inputs(draw, *size))


@exercise(NAME)
@points(1)
@promises
def check_gradients_and_nothing_is_changed(student: Student, draw: Draw) -> None:
    """Gradients are right, the dtype is kept, any memory layout will do, and the arguments stay as they are"""
    images, prompts = _inputs(draw, 5, 3, 4, 7)
    _compare(
        student, images.T.contiguous().T, prompts.transpose(0, 2).contiguous().transpose(0, 2), ", transposed in memory"
    )
    functions.keeps(student, NAME, (images.float(), prompts.float()), references.zero_shot, WHAT, ("images", "prompts"))
    names = "images", "prompts"
    gradients_agree(student, NAME, (images, prompts), references.zero_shot, draw.normal(5, 3), names, names)
