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
#: The share of exact captions from which on the controls say something.
LEAST = 0.10


def _judge(value, bounds, message, setting, **more):
    """Raise partial credit for a value below the first bound."""
    full, none = bounds
    failure = CheckFailure(
        message=message,
        setting=setting,
        expected=f"at least {full:.0%} (points in eighths above {none:.0%})",
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
        "0.02, look at the loss and at what is fed into step.",
    )


@exercise(NAME)
@points(2)
@measured
def check_pointing(student: Student, seed: int) -> None:
    """When it writes a digit, its attention lies in the box of that digit"""
    scenes, _, _, its = written(student, seed)
    setting = f"weights in the box of the named digit, exact captions of {len(scenes)} held-out scenes, seed {seed}"
    share = accuracy(scenes, its.captions)
    if share < EXACT[1]:
        raise _too_few(share, EXACT[1], setting, "pointing")
    _judge(
        pointing(scenes, its),
        POINTING,
        "The attention lies elsewhere while a digit is named.",
        setting,
        kind="pointing",
        cause="attention does not point",
        hint="The weights are computed as they should be. Does the loss contain the price on their entropy, and has training "
        "come to its end?",
    )


def _too_few(share: float, least: float, setting: str, kind: str) -> CheckFailure:
    """Return why a captioner of which ``share`` of the captions are exact cannot be asked where it looks."""
    return CheckFailure(
        kind,
        "Too few captions are exact for this question.",
        setting=setting,
        received=share,
        expected=f"at least {least:.0%} exact captions",
        yours=f"{share:.1%}",
        cause="captioner not good enough yet",
        hint="Where a captioner looks is of interest once it can write. See above: train it first.",
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
    setting = f"exact captions of {len(scenes)} held-out scenes, seed {seed}"
    if share < LEAST:
        raise _too_few(share, LEAST, setting, "control")
    if shuffled <= 0.05 and averaged <= share / 2:
        return
    raise CheckFailure(
        "control",
        "The captions do not depend on where the model looks.",
        received=(share, shuffled, averaged),
        setting=setting,
        expected=f"at least {LEAST:.0%} with the picture, at most 5% with another one, at most half with averaged features",
        yours=f"{share:.1%}, {shuffled:.1%} and {averaged:.1%}",
        cause="picture ignored",
        hint="A decoder that has only learned the language writes fluent captions of other scenes. Did each caption of the "
        "training stand beside its own scene?",
    )
