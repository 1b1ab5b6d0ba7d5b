"""my_vit(), with the weights that were handed in."""

import functools

import torch

from autograder import expect, references
from autograder.checks import checkpoint
from autograder.checks.twins import first_result
from autograder.draw import Draw
from autograder.failure import CheckFailure
from autograder.marks import exercise, measured, points

NAME = "my_vit"
FILE = "vit.safetensors"
P = 2  # of the patches that are shuffled
DRAWS = 3  # of the green and the blue digits
#: The share of held-out red digits that are read: full points from the first on, none up to the second.
ACCURACY = (0.93, 0.50)
#: What may be left of it when patches are shuffled, or when red and blue are swapped. Chance is 0.1.
CONTROL = 0.5


@functools.lru_cache(maxsize=4)
def _drawn(seed):
    """Return (images, labels): every held-out digit as the red one, a few times, under other digits that the seed decides on."""
    from course_lib.data import draw_colour_digits

    draw = Draw(seed, NAME)
    drawn = [draw_colour_digits(None, int(draw.integers(2**40)), "one_fifth") for _ in range(DRAWS)]
    return torch.cat([part.images for part in drawn]), torch.cat([part.labels for part in drawn])


def _right(module, images, labels):
    """Return the share of the pictures whose red digit gets the largest logit."""
    logits = first_result(module(images), "logits")
    expect.shape(logits, (len(images), 10), "logits", "(B, 10)", f"images {tuple(images.shape)}")
    if not bool(logits.isfinite().all()):
        raise CheckFailure(
            "not numbers", "The logits hold values that are not numbers.", received="not numbers", cause="not a number",
            hint="Did the training's loss become NaN? Train anew, with a smaller learning rate.",
        )  # fmt: skip
    return float((logits.argmax(dim=1) == labels).double().mean())


def _setting(images, seed):
    return f"{len(images)} pictures made of held-out digits, seed {seed}"


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student, seed):
    """The checkpoint is there, can be read, and holds the weights of the class that my_vit() makes"""
    module = checkpoint.load(student, NAME, FILE)
    images, labels = _drawn(seed)
    _right(module, images[:8], labels[:8])


@exercise(NAME)
@points(6)
@measured
def check_it_reads_held_out_digits(student, seed):
    """It reads the red digit in pictures of held-out digits"""
    module = checkpoint.load(student, NAME, FILE)
    images, labels = _drawn(seed)
    right, (full, none) = _right(module, images, labels), ACCURACY
    failure = CheckFailure(
        "accuracy", "Too few of the red digits are read.", setting=_setting(images, seed), received=right,
        expected=f"at least {full:.0%} (points from {none:.0%} on)", yours=f"{right:.1%}",
        cause="model not good enough yet",
        hint="Has training come to its end, and does the loss still fall? Then train longer. Does it read the "
        "pictures that it was trained on, and not these? Then vary the handwriting more. Does it read neither? Look at patches, "
        "positions and class token.",
    )  # fmt: skip
    checkpoint.judge(right, full, none, failure)


@exercise(NAME)
@points(2)
@measured
def check_it_knows_where_patches_lie(student, seed):
    """With the patches in a random order it can no longer read: it uses the positions"""
    module = checkpoint.load(student, NAME, FILE)
    images, labels = _drawn(seed)
    _must_hurt(
        module, images, _shuffled(images, seed), labels, seed, "the patches of each picture are shuffled", "positions not used",
        "A model that reads as well when the patches are shuffled counts patches, and does not see shapes.",
    )  # fmt: skip


@exercise(NAME)
@points(1)
@measured
def check_it_tells_the_colours_apart(student, seed):
    """With red and blue swapped it reads the digit that is red then: it knows which colour was asked for"""
    module = checkpoint.load(student, NAME, FILE)
    images, labels = _drawn(seed)
    _must_hurt(
        module, images, images.flip(1), labels, seed, "red and blue are swapped", "colours not told apart",
        "Are the channels of a patch kept apart, in an order that is always the same?",
    )  # fmt: skip


def _shuffled(images, seed):
    """Return each picture with its patches in an order of its own."""
    patches = references.patchify(images, P)
    draw = Draw(seed, "shuffled")
    order = draw.normal(*patches.shape[:2]).argsort(dim=1)[..., None].expand_as(patches)
    return references.unpatchify(patches.gather(1, order), P, *images.shape[-2:])


def _must_hurt(module, images, changed, labels, seed, how, cause, hint):
    """Fail unless the model reads the pictures, and not the changed ones."""
    right, left = _right(module, images, labels), _right(module, changed, labels)
    least = (1 + CONTROL) / 2 * ACCURACY[0]
    if right >= least and left <= CONTROL * right:
        return
    reads = right >= least
    raise CheckFailure(
        "control", f"It makes too little difference that {how}." if reads else "It reads too few of the pictures as they are.",
        setting=_setting(images, seed), received=left if reads else right, cause=cause if reads else "model not good enough yet",
        expected=f"at least {least:.0%} of the pictures, and at most half as many when {how}",
        yours=f"{right:.0%}, and {left:.0%} when {how}", hint=hint if reads else "Without a model that reads, this says nothing.",
    )  # fmt: skip
