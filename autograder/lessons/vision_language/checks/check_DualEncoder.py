"""DualEncoder(config)."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Constructed,
    Draw,
    ModulePair,
    Sizes,
    Student,
    alike,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    no_side_effects,
    parameter_gradients,
    points,
    promises,
    uses_its_inputs,
)
from autograder.lessons.vision_language import references

NAME = "DualEncoder"
FIELDS: dict[str, Any] = {
    "vocab_size": 11,
    "max_length": 9,
    "side": 6,
    "patch_size": 2,
    "model_width": 14,
    "num_heads": 2,
    "image_blocks": 2,
    "text_blocks": 1,
    "hidden_width": 19,
    "shared_width": 5,
}
#: Other sizes, the smallest first.
OTHERS = (
    {"side": 2, "patch_size": 1, "model_width": 4, "num_heads": 1, "image_blocks": 1, "shared_width": 3},
    {"side": 4, "patch_size": 4, "vocab_size": 7, "max_length": 5},
    {"side": 9, "patch_size": 3, "num_heads": 7, "text_blocks": 2, "image_blocks": 1},
)
WHAT = ("The vectors of the pictures", "The vectors of the texts")


def _reference(**changes):
    return references.DualEncoder(references.DualConfig(**(FIELDS | changes)))


def _twins(student: Student, draw: Draw, dtype=torch.float64, weights=None, **changes):
    config = Constructed("DualConfig", FIELDS | changes)
    return ModulePair(student, NAME, (config,), _reference(**changes), draw, dtype, weights)


def _pictures(draw: Draw, B: int, **changes) -> Tensor:
    side = (FIELDS | changes)["side"]
    return draw.normal(B, 3, side, side)


def _texts(draw: Draw, B: int, T: int, vocab_size: int = FIELDS["vocab_size"], full: bool = False) -> Tensor:
    """Return ids (B, T) of texts that end at different places, one of them (the last) at T; behind each is padding."""
    lengths = torch.full((B,), T) if full else 1 + draw.integers(T, B)
    lengths[-1] = T
    ids = 1 + draw.integers(vocab_size - 1, B, T)
    return ids.masked_fill(torch.arange(T) >= lengths[:, None], 0)


def _setting(images: Tensor, ids: Tensor) -> str:
    shown = ", ".join(str(row) for row in ids[:2].tolist()) + (", …" if len(ids) > 2 else "")
    return f"images {tuple(images.shape)}, ids {shown}"


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has the right parameters, and gives one vector of length 1 for each picture and for each text"""
    for changes in ({}, *OTHERS):
        config = Constructed("DualConfig", FIELDS | changes)
        has_parameters(student, NAME, (config,), dict(_reference(**changes).named_parameters()))
    module = _twins(student, draw).module
    for B, T in ((1, 1), (sizes.B, 5), (7, 9)):
        images, ids = _pictures(draw, B), _texts(draw, B, T)
        for value, what in zip(expect.pair(module(images, ids), *WHAT), WHAT, strict=True):
            expect.shape(value, (B, FIELDS["shared_width"]), what, "(B, shared_width)", _setting(images, ids))
            lengths = value.double().norm(dim=1)
            expect.allclose(
                lengths, torch.ones_like(lengths), f"The length of {what[4:]}", setting=_setting(images, ids)
            )
    uses_its_inputs(module, (images, ids), (images.flip(0), ids))


def _agree(student: Student, draw: Draw, part: int, full: bool) -> None:
    """Compare one of the two results, for several sizes and lengths of texts."""
    for changes in (*OTHERS, {}):
        twins, fields = _twins(student, draw, **changes), FIELDS | changes
        for B, T in ((1, 1), (1, 4), (2, 3), (5, fields["max_length"])):
            images, ids = _pictures(draw, B, **changes), _texts(draw, B, T, fields["vocab_size"], full)
            with torch.no_grad():
                want = twins.reference(images, ids)[part]
            got = expect.pair(twins.module(images, ids), *WHAT)
            with explain_randomness(twins.module, got, images, ids):
                expect.allclose(got[part], want, WHAT[part], size=4.0, setting=_setting(images, ids))


@exercise(NAME)
@points(3)
def check_pictures(student: Student, draw: Draw) -> None:
    """A picture: patches row by row, positions, the encoder, the mean over patches, the projection, length 1"""
    _agree(student, draw, 0, full=False)


@exercise(NAME)
@points(3)
def check_texts(student: Student, draw: Draw) -> None:
    """A text without padding: tokens, positions, the encoder, the mean over words, the projection, length 1"""
    _agree(student, draw, 1, full=True)


@exercise(NAME)
@points(3)
def check_padding(student: Student, draw: Draw) -> None:
    """Padding changes nothing: nobody attends to it, and the mean is over real words only"""
    _agree(student, draw, 1, full=False)
    twins = _twins(student, draw)
    ids = _texts(draw, 3, 4, full=True)
    images = _pictures(draw, 3)
    wide = torch.cat((ids, torch.zeros(3, 3, dtype=ids.dtype)), dim=1)
    short, longer = (expect.pair(twins.module(images, x), *WHAT)[1] for x in (ids, wide))
    if not torch.allclose(short, longer, atol=1e-9):
        raise CheckFailure(
            "value",
            "Three padding tokens after each text change its vector.",
            setting=_setting(images, wide),
            expected=expect.numbers(short[0]),
            yours=expect.numbers(longer[0]),
            received="padding",
            cause="padding counts",
            hint="Two places have to know about padding: the encoder's mask and the mean.",
        )


@exercise(NAME)
@points(2)
@promises
def check_gradients_and_repetition(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients of all parameters are right; the same pairs give the same vectors, in float32 too, and are not changed"""
    twins, images, ids = _twins(student, draw), _pictures(draw, sizes.B + 1), _texts(draw, sizes.B + 1, 6)
    _gradients(twins, draw, images, ids)
    no_side_effects(twins, [(images[:1], ids[:1]), (images.flip(0), ids.flip(0))], images, ids, what=WHAT)
    single = _twins(student, draw, dtype=torch.float32)
    got = single.module(images.float(), ids)
    with torch.no_grad():
        want = single.reference(images.float(), ids)
    with explain_randomness(single.module, got, images.float(), ids):
        alike(got, want, WHAT, 40.0, "float32")
    expect.dtype(expect.pair(got, *WHAT)[0], torch.float32, WHAT[0])
    expect.dtype(expect.pair(got, *WHAT)[1], torch.float32, WHAT[1])


def _gradients(twins: ModulePair, draw: Draw, images: Tensor, ids: Tensor) -> None:
    """Compare the gradients of the pictures and of all parameters but the scale, which only the loss uses."""
    parameters = {name: p for name, p in twins.reference.named_parameters() if name != "log_scale"}
    leaf = images.clone().requires_grad_()
    results = twins.reference(leaf, ids)
    cotangents = tuple(draw.normal(*result.shape) for result in results)
    total = sum((out * c).sum() for out, c in zip(results, cotangents, strict=True))
    want = torch.autograd.grad(total, [leaf, *parameters.values()])
    answer = twins.module.request(images, ids, cotangents=cotangents)
    found = [answer.gradients[0], *parameter_gradients(answer, parameters)]
    with explain_randomness(twins.module, None, images, ids):
        expect.gradients(found, want, ("images", *parameters), _setting(images, ids))
