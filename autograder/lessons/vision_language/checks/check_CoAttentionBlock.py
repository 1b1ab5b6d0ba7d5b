"""CoAttentionBlock(model_width, num_heads, hidden_width, dropout=0.0)."""

import torch
from torch import Tensor

from autograder.checks import (
    FEW,
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    alike,
    all_of,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_dropout_distribution,
    uses_its_inputs,
)
from autograder.lessons.vision_language import references

NAME = "CoAttentionBlock"
D, H, HIDDEN = 14, 2, 19
WHAT = ("image", "text", "A_image", "A_text")
MEANINGS = ("(B, N_I, D)", "(B, N_T, D)", "(B, H, N_I, N_T)", "(B, H, N_T, N_I)")
#: (D, H, hidden), the smallest first.
BUILDS = ((4, 1, 3), (6, 3, 11), (D, H, HIDDEN))
#: (B, N_I, N_T), the smallest first. In the last one, sizes that should be told apart are equal.
SIZES = ((1, 1, 1), (1, 2, 3), (2, 5, 3), (3, 4, 7), (2, 3, 3))


def _twins(student: Student, draw: Draw, build=(D, H, HIDDEN), dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.CoAttentionBlock(*build), draw, dtype, weights)


def _streams(draw: Draw, B: int, N_I: int, N_T: int, width: int = D) -> tuple[Tensor, Tensor]:
    return draw.normal(B, N_I, width), draw.normal(B, N_T, width)


def _mask(draw: Draw, B: int, N: int) -> Tensor:
    """Which of N are no padding: from one to all, different for each of the batch; the last has no padding at all."""
    lengths = 1 + draw.integers(N, B)
    lengths[-1] = N
    return torch.arange(N) < lengths[:, None]


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has the right parameters, and gives both streams and both weights: regions over words, words over regions"""
    for build in BUILDS:
        has_parameters(student, NAME, build, dict(references.CoAttentionBlock(*build).named_parameters()))
    module = _twins(student, draw).module
    for B, N_I, N_T in SIZES:
        image, text = _streams(draw, B, N_I, N_T)
        got = all_of(module(image, text), WHAT)
        shapes = (B, N_I, D), (B, N_T, D), (B, H, N_I, N_T), (B, H, N_T, N_I)
        for value, what, shape, meaning in zip(got, WHAT, shapes, MEANINGS, strict=True):
            expect.shape(value, shape, what, meaning, f"image {tuple(image.shape)}, text {tuple(text.shape)}")
    image, text = _streams(draw, sizes.B, 5, 3)
    uses_its_inputs(module, (image, text), (image.flip(0), text))


@exercise(NAME)
@points(4)
def check_values(student: Student, draw: Draw) -> None:
    """Each stream attends to the other's input; then residual, norm, feed-forward, residual, norm, with weights of its own"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for size in SIZES:
            twins.agree(*_streams(draw, *size, width=build[0]), what=WHAT, size=20.0)


@exercise(NAME)
@points(3)
def check_masks(student: Student, draw: Draw) -> None:
    """image_allowed hides regions from words, and text_allowed words from regions, each alone and both together"""
    twins = _twins(student, draw)
    for B, N_I, N_T in SIZES[1:]:
        image, text = _streams(draw, B, N_I, N_T)
        of_image, of_text = _mask(draw, B, N_I), _mask(draw, B, N_T)
        for masks in (
            {"image_allowed": of_image},
            {"text_allowed": of_text},
            {"image_allowed": of_image, "text_allowed": of_text},
        ):
            setting = f"image {tuple(image.shape)}, text {tuple(text.shape)}, {' and '.join(masks)}"
            twins.agree(image, text, what=WHAT, size=20.0, setting=setting, **masks)
    nothing = torch.zeros(2, 5, dtype=torch.bool)
    nothing[1] = True
    twins.agree(
        *_streams(draw, 2, 5, 3), what=WHAT, size=20.0, setting="no region at all in one picture", image_allowed=nothing
    )


@exercise(NAME)
@points(1)
def check_streams_may_change_places(student: Student, draw: Draw) -> None:
    """With weights, streams and masks of image and text exchanged, the results are exchanged and nothing else"""
    twins = _twins(student, draw)
    swap = {"image": "text", "text": "image"}
    exchanged = {swap[name.split("_")[0]] + "_" + name.split("_", 1)[1]: value for name, value in twins.weights.items()}
    other = _twins(student, draw, weights=exchanged)
    image, text = _streams(draw, 2, 5, 3)
    of_image, of_text = _mask(draw, 2, 5), _mask(draw, 2, 3)
    first = all_of(twins.module(image, text, image_allowed=of_image, text_allowed=of_text), WHAT)
    second = all_of(other.module(text, image, image_allowed=of_text, text_allowed=of_image), WHAT)
    expect.depends_on_its_inputs(first[0], all_of(twins.module(2 * image, text), WHAT)[0], "image")
    for mine, theirs in ((0, 1), (1, 0), (2, 3), (3, 2)):
        if second[theirs].shape != first[mine].shape or not torch.allclose(second[theirs], first[mine], atol=1e-9):
            raise CheckFailure(
                "value",
                f"{WHAT[mine]} is not what {WHAT[theirs]} is when image and text change places.",
                setting=f"image {tuple(image.shape)}, text {tuple(text.shape)}, both masks",
                received="streams",
                cause="the streams are treated differently",
                hint="Each line for one stream has a twin for the other. Check that both attentions read the streams as they "
                "came in, and that each uses the layers of its own stream.",
            )
    with torch.no_grad():
        want = twins.reference(image, text, of_image, of_text)
    alike(tuple(first), want, WHAT, 20.0, "both masks")


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, dropout acts on what each sub-layer adds, in both streams, and nowhere else"""
    build = (6, 1, 5, 0.3)
    twins = _twins(student, draw, build)
    image, text = _streams(draw, 1, 2, 3, 6)
    twins.agree(image, text, what=WHAT, size=20.0)
    hint = "self.dropout acts on what attention and feed-forward layers give, before it is added, in both streams."
    same_dropout_distribution(
        twins, image, text, what=WHAT, draw=draw, setting="training mode, dropout=0.3", hint=hint, runs=2 * FEW
    )


@exercise(NAME)
@points(2)
@promises
def check_gradients_and_repetition(student: Student, draw: Draw) -> None:
    """Gradients of streams and parameters are right; the same call gives the same results, in float32 too, and changes nothing"""
    twins, (image, text) = _twins(student, draw), _streams(draw, 3, 5, 7)
    twins.gradients_agree(image, text, draw=draw, names=("image", "text"), image_allowed=_mask(draw, 3, 5))
    no_side_effects(twins, [(image[:1], text[:1]), (image.flip(0), text.flip(0))], image, text, what=WHAT)
    single = _twins(student, draw, dtype=torch.float32)
    got = single.module(image.float(), text.float())
    with torch.no_grad():
        want = single.reference(image.float(), text.float())
    with explain_randomness(single.module, got, image.float(), text.float()):
        alike(got, want, WHAT, 40.0, "float32")
    for value, what in zip(all_of(got, WHAT), WHAT, strict=True):
        expect.dtype(value, torch.float32, what)
