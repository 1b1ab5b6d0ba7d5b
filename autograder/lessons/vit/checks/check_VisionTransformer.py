"""VisionTransformer(config)."""

from typing import Any

import torch

from autograder.checks import (
    FEW,
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
    first_of,
    has_parameters,
    no_side_effects,
    no_weights,
    points,
    promises,
    same_dropout_distribution,
    slack,
    tuple_of,
    uses_its_inputs,
)
from autograder.checks import pair as two
from autograder.lessons.vit import references

NAME = "VisionTransformer"
FIELDS: dict[str, Any] = {
    "height": 6,
    "width": 10,
    "channels": 3,
    "patch_size": 2,
    "model_width": 14,
    "num_heads": 2,
    "num_blocks": 2,
    "hidden_width": 19,
    "classes": 7,
    "dropout": 0.0,
}
BLOCKS, PATCHES = FIELDS["num_blocks"], 15
#: For the look at dropout: 1000 pictures tell 25 % from the 44 % that two dropouts make of it, at the class token alone; 7 tokens
#: each keep that quick.
WIDE, P, PICTURES, TOKENS = 40, 0.25, 1000, 7
DROPPING = FIELDS | {
    "height": 4,
    "width": 6,
    "channels": 1,
    "num_blocks": 1,
    "model_width": WIDE,
    "num_heads": 1,
    "classes": WIDE,
    "dropout": P,
}
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


def _twins(student: Student, draw: Draw, dtype=torch.float64, weights=None, **changes):
    config = Constructed("ViTConfig", FIELDS | changes)
    return ModulePair(student, NAME, (config,), _reference(**changes), draw, dtype, weights)


def _pictures(draw: Draw, B, **changes):
    fields = FIELDS | changes
    return draw.normal(B, fields["channels"], fields["height"], fields["width"])


def _logits(module, images, **options):
    logits = expect.tensor(two(module(images, **options), "logits", "the weights of each block")[0], "The logits")
    expect.shape(
        logits, (len(images), FIELDS["classes"]), "The logits", "(B, classes)", f"images {tuple(images.shape)}"
    )
    return logits


@exercise(NAME)
@points(2)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has the right parameters, and gives logits (B, classes) and each block's weights (B, heads, N + 1, N + 1)"""
    for changes in ({}, *OTHERS):
        config = Constructed("ViTConfig", FIELDS | changes)
        has_parameters(student, NAME, (config,), dict(_reference(**changes).named_parameters()))
    module = _twins(student, draw).module
    for B in (1, sizes.B, PATCHES):
        images = _pictures(draw, B)
        setting = f"images {tuple(images.shape)}, {PATCHES} patches"
        logits, weights = two(module(images), "logits", "the weights of each block")
        expect.shape(expect.tensor(logits, "The logits"), (B, 7), "The logits", "(B, classes)", setting)
        for A in tuple_of(weights, BLOCKS, "the weights of each block"):
            shape = (B, 2, PATCHES + 1, PATCHES + 1)
            expect.shape(expect.tensor(A, "A"), shape, "A", "(B, heads, N + 1, N + 1)", setting)
    uses_its_inputs(module, (images,), (images.flip(0),))


@exercise(NAME)
@points(4)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
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
def check_positions(student: Student, draw: Draw) -> None:
    """Where a patch lies matters, and only because of the positions: with all of them 0, any order gives the same logits"""
    images = _pictures(draw, 2)
    patches = references.patchify(images, 2)
    moved = references.unpatchify(patches[:, draw.permutation(PATCHES)], 2, 6, 10)
    twins = _twins(student, draw)
    one, other = (_logits(twins.module, x) for x in (images, moved))
    if torch.allclose(one, other, atol=1e-6):
        raise CheckFailure(
            "order",
            "Pictures with their patches in another order give the same logits.",
            received="order",
            cause="positions missing",
            hint="Add self.positions to the tokens: attention alone does not know where a patch lies.",
        )
    _only_positions_order(student, draw, images, moved)
    _every_position_counts(student, draw, twins, images)
    twins.agree(images, what=_what(), size=20.0)


def _only_positions_order(student: Student, draw: Draw, images, moved):
    """Fail unless, with all positions 0, pictures with their patches in another order give the same logits."""
    none = _twins(student, draw, weights={"positions": torch.zeros(PATCHES + 1, 14).double()})
    one, other = (_logits(none.module, x) for x in (images, moved))
    expect.allclose(
        other,
        one.double(),
        "The logits",
        size=20.0,
        setting="all positions 0, patches in another order",
        message="Without positions, the order of the patches still changes the logits.",
    )


def _every_position_counts(student: Student, draw: Draw, twins, images):
    """Fail unless the first and the last row of the positions change the logits."""
    for place, what in ((0, "the class token"), (PATCHES, "the last patch")):
        weights = {"positions": twins.weights["positions"].clone()}
        weights["positions"][place] += draw.normal(14)
        changed = _twins(student, draw, weights=twins.weights | weights)
        if torch.allclose(_logits(changed.module, images), _logits(twins.module, images), atol=1e-7):
            raise CheckFailure(
                "order",
                f"The position of {what} changes nothing.",
                received=f"position {place}",
                cause="not all tokens get a position",
                hint="positions has one row for the class token and one for each patch.",
            )


@exercise(NAME)
@points(1)
def check_weights_only_when_asked(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With need_weights=False, the logits are the same and the list of weights is empty"""
    twins, images = _twins(student, draw), _pictures(draw, sizes.B)
    logits, weights = two(twins.module(images, need_weights=False), "logits", "no weights")
    with torch.no_grad():
        want, _ = twins.reference(images)
    expect.allclose(expect.tensor(logits, "The logits"), want, "The logits", size=20.0, setting="need_weights=False")
    no_weights(weights)


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, every number of the tokens with their positions is dropped with probability `dropout`, once"""
    found = []
    for content, positions in ((0.0, 1.0), (1.0, 0.0), (0.5, 0.5)):  # each is dropped, once, and both together
        twins = _twins(student, draw, weights=_telling_weights(content, positions), **DROPPING)
        images = _pictures(draw, PICTURES, **DROPPING)
        twins.agree(images[:3], what=_what(1), size=20.0)
        found.append(_gone(twins.module.when(training=True).request(images).value))
    cause = _where_dropped([bool(gone.any()) for gone, _ in found], found[0][1])
    for gone, zero in found:
        _judge_dropout(gone, zero, cause)
    changes = {"height": 4, "width": 4, "channels": 1, "dropout": P}
    hint = "The config's dropout acts on the tokens with their positions, and in the blocks. Nothing else is dropped."
    pair, example = _twins(student, draw, **changes), _pictures(draw, 1, **changes)
    same_dropout_distribution(
        pair, example, what=_what(), draw=draw, setting=f"training mode, dropout={P}", hint=hint, runs=FEW
    )


def _gone(value):
    """Return (which tokens have lost their first number (B, TOKENS), which logits are 0 (B, classes)) after dropout."""
    logits, weights = two(value, "logits", "the weights of each block")
    [A] = tuple_of(weights, 1, "the weights of each block")
    expect.shape(expect.tensor(A, "A"), (PICTURES, 1, TOKENS, TOKENS), "A", "(B, heads, N + 1, N + 1)")
    # A token whose first number is dropped gets far less attention than one whose first number is kept.
    seen = A.double()[:, 0, 0].clamp(min=1e-30).log()
    return seen < seen.max(dim=1, keepdim=True).values - 1.3, expect.tensor(logits, "The logits") == 0


def _where_dropped(some, zero):
    """Return what is known of a wrong dropout: ``some`` says whether positions, patches, their sum are dropped at all."""
    if not any(some):
        whole = zero.all(dim=1).double().mean().item()  # without dropout the tokens are constant, and every logit is 0
        return "whole tokens dropped" if 0.01 < whole < 0.99 else "no number of the tokens dropped"
    return {(False, True): "positions not dropped", (True, False): "patches not dropped"}.get(
        tuple(some[:2]), "dropout in the wrong place"
    )


def _judge_dropout(gone, zero, cause):
    for which, what in ((gone[:, 1:], "the patches"), (gone[:, :1], "the class token")):
        _dropped_once(which, what, cause)
    if bool((zero.any(dim=1) & ~zero.all(dim=1)).any()):
        _fail_dropout("some logits are 0: the head's inputs or outputs are dropped too", "dropout in the wrong place")


def _telling_weights(content, positions):
    """Weights with which tokens and positions are constants, and attention goes by the first number of what is left of it."""
    D, one = WIDE, torch.eye(WIDE).double()
    block, ones, zeros = "encoder.blocks.0.", torch.ones(D).double(), torch.zeros(D).double()
    weights = {
        "embedding.projection.weight": torch.zeros(D, 4).double(),
        "embedding.projection.bias": content * ones,
        "class_token": content * ones[None, None],
        "positions": positions * ones.expand(TOKENS, D),
        "encoder.norm.gamma": ones,
        "encoder.norm.beta": zeros,
        "head.weight": one,
        "head.bias": zeros,
        f"{block}attention.W_Q.weight": 0 * one,
        f"{block}attention.W_Q.bias": D**0.5 * one[0],
        f"{block}attention.W_K.weight": one,
        f"{block}attention.W_K.bias": zeros,
    }
    for name in ("norm_1", "norm_2"):
        weights |= {f"{block}{name}.gamma": ones, f"{block}{name}.beta": zeros}
    for name in ("attention.W_V", "attention.W_O", "feed_forward.W_2"):  # nothing is added to the tokens
        weights[f"{block}{name}.bias"] = zeros
    weights |= {f"{block}attention.W_V.weight": 0 * one, f"{block}attention.W_O.weight": 0 * one}
    return weights | {f"{block}feed_forward.W_2.weight": torch.zeros(D, FIELDS["hidden_width"]).double()}


def _dropped_once(gone, what, cause):
    share, room = gone.double().mean().item(), slack(P, gone.numel())
    if abs(share - P) > room:
        dropped = f"{share:.0%} of the first numbers of {what} are dropped"
        _fail_dropout(dropped, cause)


def _fail_dropout(dropped, cause):
    raise CheckFailure(
        "dropout",
        "Dropout does not act once on the sum of tokens and positions.",
        setting=f"training mode, dropout={P}",
        expected=f"{P:.0%} of the numbers of all tokens dropped, and nothing else",
        yours=dropped,
        received="dropout",
        cause=cause,
        hint="self.dropout acts once, on all tokens with their positions, before the encoder.",
    )


@exercise(NAME)
@points(2)
@promises
def check_gradients_and_repetition(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients of all parameters are right; the same pictures give the same logits, in float32 too, and are not changed"""
    twins, images = _twins(student, draw), _pictures(draw, sizes.B)
    twins.gradients_agree(images, draw=draw, names=("images",), setting=f"images {tuple(images.shape)}")
    no_side_effects(twins, [(images[:1],), (images.flip(0),)], images, what=_what())
    single = _twins(student, draw, dtype=torch.float32)
    got = single.module(images.float())
    with torch.no_grad():
        want = single.reference(images.float())
    with explain_randomness(single.module, got, images.float()):
        alike(got, want, _what(), 40.0, "float32")
    expect.dtype(expect.tensor(first_of(got), "The logits"), torch.float32, "The logits")
