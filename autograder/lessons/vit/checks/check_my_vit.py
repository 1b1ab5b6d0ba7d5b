"""my_vit(), with the weights that were handed in."""

import functools

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, points, weights
from autograder.lessons.vit import references
from autograder.lessons.vit.checks.trained import FILE, NAME, loaded, right

P = 2  # of the patches that are shuffled
DRAWS = 3  # of the green and the blue digits
#: The share of held-out red digits that are read: full points from the first on, none up to the second.
ACCURACY = (0.93, 0.50)
#: For the controls: what has to be read, and what part of it may be left when patches are shuffled. Chance is 0.1.
LEAST, CONTROL = 0.70, 0.5


@functools.lru_cache(maxsize=4)
def _drawn(seed: int):
    """Return (images, what the red digits are, what the blue ones are): every held-out digit as the red one, a few times.

    Which green and blue digits lie over it, the seed decides.
    """
    from course_lib.data import draw_colour_digits

    draw = Draw(seed, NAME)
    drawn = [draw_colour_digits(None, draw.new_seed(), "one_fifth") for _ in range(DRAWS)]
    digits = torch.cat([part.digits for part in drawn])
    return torch.cat([part.images for part in drawn]), digits[:, 0], digits[:, 2]


def _loaded(student: Student, seed: int):
    return loaded(student, _drawn(seed)[0][::150])


def _setting(images, seed: int):
    return f"{len(images)} pictures made of held-out digits, seed {seed}"


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the VisionTransformer that my_vit() makes anew at every call"""
    _loaded(student, seed)
    weights.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(1)
@measured
def check_it_reads_held_out_digits(student: Student, seed: int) -> None:
    """It reads the red digit in pictures of held-out digits"""
    model, (images, red, _) = _loaded(student, seed), _drawn(seed)
    share, (full, none) = right(model, images, red), ACCURACY
    failure = CheckFailure(
        "accuracy",
        "Too few of the red digits are read.",
        setting=_setting(images, seed),
        received=share,
        expected=f"at least {full:.0%} (points in eighths above {none:.0%})",
        yours=f"{share:.1%}",
        cause="model not good enough yet",
        hint="Has training come to its end, and does the loss still fall? Then train longer. Does it read the pictures that "
        "it was trained on, and not these? Then vary the handwriting more. Does it read neither? Look at the loss, and at "
        "whether each picture stands beside its own label.",
    )
    weights.judge(share, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_knows_where_patches_lie(student: Student, seed: int) -> None:
    """It uses the positions: with the patches in a random order it no longer reads the digit"""
    model, (images, red, _) = _loaded(student, seed), _drawn(seed)
    share, left = right(model, images, red), right(model, _shuffled(images, seed), red)
    if share >= LEAST and left <= CONTROL * share:
        return
    _fail_control(
        images,
        seed,
        reads=share >= LEAST,
        cause="positions not used",
        expected=f"at least {LEAST:.0%} of the pictures, and at most half as many when their patches are shuffled",
        yours=f"{share:.1%}, and {left:.1%} when their patches are shuffled",
        hint="A model that reads as well when the patches are shuffled counts patches, and does not see shapes.",
    )


@exercise(NAME)
@points(1)
@measured
def check_it_tells_the_colours_apart(student: Student, seed: int) -> None:
    """With red and blue swapped, it reads the digit that is now red"""
    model, (images, red, blue) = _loaded(student, seed), _drawn(seed)
    share, swapped = right(model, images, red), right(model, images.flip(1), blue)
    if share >= LEAST and swapped >= LEAST:
        return
    _fail_control(
        images,
        seed,
        reads=share >= LEAST,
        cause="colours not told apart",
        expected=f"at least {LEAST:.0%} of the red digits, before and after red and blue are swapped",
        yours=f"{share:.1%} before, {swapped:.1%} after",
        hint="Are the channels of a patch kept apart, in an order that is always the same?",
    )


def _shuffled(images, seed: int):
    """Return each picture with its patches in an order of its own."""
    patches = (images.shape[-2] // P) * (images.shape[-1] // P)
    order = Draw(seed, "shuffled").normal(len(images), patches).argsort(dim=1)
    return references.shuffle_patches(images, P, order)


def _fail_control(images, seed: int, reads, cause, hint, **details):
    raise CheckFailure(
        "control",
        "The control does not show what it should." if reads else "Too few of the pictures are read as they are.",
        setting=_setting(images, seed),
        received=details["yours"],
        cause=cause if reads else "model not good enough yet",
        hint=hint if reads else "Without a model that reads, this says nothing. See above.",
        **details,
    )
