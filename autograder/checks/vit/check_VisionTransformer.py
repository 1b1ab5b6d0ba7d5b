"""VisionTransformer(config)."""

import math
from typing import Any

import torch

from autograder import expect, references
from autograder.checks.twins import (
    Twins,
    alike,
    explained_if_random,
    first_result,
    has_parameters,
    leaves_no_trace,
    several,
    two,
    uses_its_inputs,
)
from autograder.failure import CheckFailure
from autograder.marks import exercise, points
from autograder.student import Made

NAME = "VisionTransformer"
FIELDS: dict[str, Any] = {
    "height": 6, "width": 10, "channels": 3, "patch_size": 2, "model_width": 14, "num_heads": 2, "num_blocks": 2,
    "hidden_width": 19, "classes": 7, "dropout": 0.0,
}  # fmt: skip
BLOCKS, PATCHES = FIELDS["num_blocks"], 15
#: Other sizes, the smallest first.
OTHERS = (
    {"height": 2, "width": 2, "channels": 1, "patch_size": 1, "model_width": 4, "num_heads": 1, "num_blocks": 1},
    {"height": 4, "width": 4, "channels": 2, "patch_size": 4, "classes": 3},
    {"height": 9, "width": 3, "channels": 5, "patch_size": 3, "num_blocks": 3, "num_heads": 7},
)


def _what(blocks=BLOCKS):
    return ("The logits", *(f"A of block {number}" for number in range(blocks)))


def _reference(**changes):
    return references.VisionTransformer(references.ViTConfig(**(FIELDS | changes)))


def _twins(student, draw, dtype=torch.float64, weights=None, **changes):
    config = Made("ViTConfig", FIELDS | changes)
    return Twins(student, NAME, (config,), _reference(**changes), draw, dtype, weights)


def _pictures(draw, B, **changes):
    fields = FIELDS | changes
    return draw.normal(B, fields["channels"], fields["height"], fields["width"])


def _logits(module, images, **options):
    return expect.tensor(two(module(images, **options), "logits", "the weights of each block")[0], "The logits")


@exercise(NAME)
@points(2)
def check_shapes(student, sizes, draw):
    """The module has the right parameters, and gives logits (B, classes) and each block's weights (B, heads, N + 1, N + 1)"""
    for changes in ({}, *OTHERS):
        config = Made("ViTConfig", FIELDS | changes)
        has_parameters(student, NAME, (config,), dict(_reference(**changes).named_parameters()))
    module = _twins(student, draw).module
    for B in (1, sizes.B, PATCHES):
        images = _pictures(draw, B)
        setting = f"images {tuple(images.shape)}, {PATCHES} patches"
        logits, weights = two(module(images), "logits", "the weights of each block")
        expect.shape(expect.tensor(logits, "The logits"), (B, 7), "The logits", "(B, classes)", setting)
        for A in several(weights, BLOCKS, "the weights of each block"):
            shape = (B, 2, PATCHES + 1, PATCHES + 1)
            expect.shape(expect.tensor(A, "A"), shape, "A", "(B, heads, N + 1, N + 1)", setting)
    uses_its_inputs(module, (images,), (images.flip(0),))


@exercise(NAME)
@points(4)
def check_values(student, sizes, draw):
    """The class token comes first, positions are added to all, and the head reads what the encoder makes of the class token"""
    for changes in (*OTHERS, {}):
        twins = _twins(student, draw, **changes)
        blocks = (FIELDS | changes)["num_blocks"]
        for B in (1, sizes.B):
            images = _pictures(draw, B, **changes)
            setting = f"images {tuple(images.shape)}, patch_size = {(FIELDS | changes)['patch_size']}"
            twins.agree(images, what=_what(blocks), size=20.0, setting=setting)


@exercise(NAME)
@points(2)
def check_positions(student, draw):
    """Where a patch lies matters, and only because of the positions: with all of them 0, any order gives the same logits"""
    images = _pictures(draw, 2)
    patches = references.patchify(images, 2)
    moved = references.unpatchify(patches[:, draw.permutation(PATCHES)], 2, 6, 10)
    twins = _twins(student, draw)
    one, other = (_logits(twins.module, x) for x in (images, moved))
    if torch.allclose(one, other, atol=1e-6):
        raise CheckFailure(
            "order", "Pictures with their patches in another order give the same logits.", received="order",
            cause="positions missing", hint="Add self.positions to the tokens: attention alone does not know where a patch lies.",
        )  # fmt: skip
    none = _twins(student, draw, weights={"positions": torch.zeros(PATCHES + 1, 14).double()})
    one, other = (_logits(none.module, x) for x in (images, moved))
    expect.close(
        other, one.double(), "The logits", size=20.0, setting="all positions 0, patches in another order",
        message="Without positions, the order of the patches still changes the logits.",
    )  # fmt: skip
    for place, what in ((0, "the class token"), (PATCHES, "the last patch")):
        weights = {"positions": twins.weights["positions"].clone()}
        weights["positions"][place] += draw.normal(14)
        changed = _twins(student, draw, weights=twins.weights | weights)
        if torch.allclose(_logits(changed.module, images), _logits(twins.module, images), atol=1e-7):
            raise CheckFailure(
                "order", f"The position of {what} changes nothing.", received=f"position {place}",
                cause="not all tokens get a position", hint="positions has one row for the class token and one for each patch.",
            )  # fmt: skip
    twins.agree(images, what=_what(), size=20.0)


@exercise(NAME)
@points(1)
def check_weights_only_when_asked(student, sizes, draw):
    """With need_weights=False, the logits are the same and the list of weights is empty"""
    twins, images = _twins(student, draw), _pictures(draw, sizes.B)
    logits, weights = two(twins.module(images, need_weights=False), "logits", "no weights")
    with torch.no_grad():
        want, _ = twins.reference(images)
    expect.close(expect.tensor(logits, "The logits"), want, "The logits", size=20.0, setting="need_weights=False")
    if not isinstance(weights, list | tuple) or len(weights):
        raise CheckFailure(
            "type", "There should be no weights with need_weights=False.", expected="an empty list",
            yours=f"{len(weights)} of them" if isinstance(weights, list | tuple) else f"a {type(weights).__name__}",
            received="weights", cause="need_weights not passed on",
            hint="Pass need_weights on to the encoder: without the weights, attention takes a faster way.",
        )  # fmt: skip


@exercise(NAME)
@points(1)
def check_dropout(student, draw):
    """In training, numbers of the tokens are dropped, with their positions already added; in eval mode none are"""
    D, p = 20, 0.25
    changes = {"num_blocks": 0, "model_width": D, "num_heads": 1, "classes": D, "dropout": p, "channels": 1}
    weights = {
        "class_token": torch.zeros(1, 1, D).double(), "positions": torch.ones(PATCHES + 1, D).double(),
        "encoder.norm.gamma": torch.ones(D).double(), "encoder.norm.beta": torch.zeros(D).double(),
        "head.weight": torch.eye(D).double(), "head.bias": torch.zeros(D).double(),
    }  # fmt: skip
    twins = _twins(student, draw, weights=weights, **changes)
    images = _pictures(draw, 60, **changes)
    whole, dropped = (
        expect.tensor(first_result(twins.module.request(images, training=t).value), "The logits").double()
        for t in (False, True)
    )
    # The class token is all ones; LayerNorm makes zeros of it, and two values of what is left of it after dropout.
    fell = dropped < -1e-3
    share, slack = fell.double().mean().item(), 6.5 * math.sqrt(p * (1 - p) / fell.numel())
    if bool(whole.abs().max() < 1e-2) and abs(share - p) <= slack:
        return
    raise CheckFailure(
        "dropout", "Dropout is not applied to the sum of tokens and positions.", setting=f"training mode, dropout={p}",
        expected=f"{p:.0%} of the class token's numbers dropped in training, none in eval mode",
        yours=f"{share:.0%} dropped in training", received="dropout",
        cause="dropout missing" if share == 0 else "dropout in the wrong place",
        hint="self.dropout acts once, on the tokens with their positions, before the encoder.",
    )  # fmt: skip


@exercise(NAME)
@points(2)
def check_gradients_and_repetition(student, sizes, draw):
    """The gradients of all parameters are right; the same pictures give the same logits, in float32 too, and are not changed"""
    twins, images = _twins(student, draw), _pictures(draw, sizes.B)
    twins.gradients_agree(images, draw=draw, names=("images",), setting=f"images {tuple(images.shape)}")
    leaves_no_trace(twins, [(images[:1],), (images.flip(0),)], images, what=_what())
    expect.unchanged((images,), twins.module.request(images).args_after, ("images",))
    single = _twins(student, draw, dtype=torch.float32)
    got = single.module(images.float())
    with torch.no_grad():
        want = single.reference(images.float())
    with explained_if_random(single.module, got, images.float()):
        alike(got, want, _what(), 40.0, "float32")
    expect.dtype(expect.tensor(first_result(got), "The logits"), torch.float32, "The logits")
