"""my_captioner(), with the weights that were handed in."""

from autograder.checks import CheckFailure, Student, exercise, measured, points, weights
from autograder.lessons.captioning.checks.trained import (
    FILE,
    NAME,
    accuracy,
    loaded,
    pointing,
    write,
    written,
)

#: Full points from the first on, none at the second. The solution, from five seeds, on 1000 scenes each: exact 0.951 with a
#: standard deviation of 0.006, pointing 0.939 with one of 0.004.
EXACT = (0.85, 0.25)
POINTING = (0.80, 0.40)


def _judge(value, bounds, message, setting, **more):
    """Raise partial credit for a value below the first bound."""
    full, none = bounds
    failure = CheckFailure(
        message=message,
        setting=setting,
        expected=f"at least {full:.0%} (points from {none:.0%} on)",
        yours=f"{value:.1%}",
        received=value,
        **more,
    )
    weights.judge(value, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the CaptionDecoder that my_captioner() makes anew at every call"""
    loaded(student, seed)
    weights.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(3)
@measured
def check_exact_captions(student: Student, seed: int) -> None:
    """It writes the exact caption of scenes whose handwriting it has never seen (greedily, word by word)"""
    scenes, _, _, its = written(student, seed)
    _judge(
        accuracy(scenes, its.captions),
        EXACT,
        "Too few captions are exact.",
        f"{len(scenes)} held-out scenes, seed {seed}",
        kind="accuracy",
        cause="captioner not good enough yet",
        hint="Has training come to its end? Does the loss still fall? Then train longer. If it has levelled off far above "
        "0.1, look at the loss and at what is fed into step.",
    )


@exercise(NAME)
@points(2)
@measured
def check_pointing(student: Student, seed: int) -> None:
    """When it writes a digit, its attention lies in the box of that digit"""
    scenes, _, _, its = written(student, seed)
    # a few right captions tell nothing
    inside = pointing(scenes, its) if accuracy(scenes, its.captions) >= EXACT[1] else 0.0
    _judge(
        inside,
        POINTING,
        "The attention lies elsewhere while a digit is named.",
        f"weights in the box of the named digit, exact captions of {len(scenes)} held-out scenes, seed {seed}",
        kind="pointing",
        cause="attention does not point",
        hint="weights[:, t] have to be those with which the word after captions[:, t] was made, cell by cell in the order "
        "of grid_features.",
    )


@exercise(NAME)
@points(2)
@measured
def check_it_looks_at_the_picture(student: Student, seed: int) -> None:
    """Without the picture it fails: another scene's features, or features averaged over all cells, ruin the captions"""
    scenes, cells, model, its = written(student, seed)
    share, shuffled = accuracy(scenes, its.captions), accuracy(scenes, its.captions.roll(1, 0))
    blurred = cells.mean(1, keepdim=True).expand_as(cells).contiguous()
    averaged = accuracy(scenes, write(model, blurred).captions)
    if share >= 0.1 and shuffled <= 0.05 and averaged <= share / 2:
        return
    raise CheckFailure(
        "control",
        "The captions do not depend on where the model looks.",
        received=(share, shuffled, averaged),
        setting=f"exact captions of {len(scenes)} held-out scenes, seed {seed}",
        expected="at least 10% with the picture, at most 5% with another one, at most half with averaged features",
        yours=f"{share:.1%}, {shuffled:.1%} and {averaged:.1%}",
        cause="picture ignored",
        hint="A decoder that has only learned the language writes fluent captions of other scenes. Does the context of "
        "the attention go into the cell and into the output?",
    )
