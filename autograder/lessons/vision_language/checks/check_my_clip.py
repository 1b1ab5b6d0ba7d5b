"""my_clip(), with the weights that were handed in."""

import functools

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, points, weights
from autograder.lessons.vision_language import references
from autograder.lessons.vision_language.checks.trained import CLIP, deal, fail_control, loaded_clip, vectors

LIST, LISTS = 100, 8  # pictures among which a caption is looked for, and how often
UNSEEN = 600  # pictures of combinations that are not in the training
#: Shares of the bound that equal captions set, and of digits named: full points from the first on, none up to the second.
RETRIEVAL, ZERO_SHOT = (0.93, 0.30), (0.80, 0.20)
#: For the controls: the share of the bound that has to be reached, and what part of it may be left. Chance is 0.01.
LEAST, CONTROL = 0.60, 0.25


@functools.lru_cache(maxsize=4)
def pairs_of(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return pictures of held-out handwriting, the ids of their captions, and what each says."""
    from course_lib.data import captioned_vocabulary, draw_captioned_digits

    drawn = draw_captioned_digits(LIST * LISTS, Draw(seed, CLIP).new_seed(), "one_fifth", combinations="seen")
    return drawn.images, captioned_vocabulary().batch(drawn.captions)[0], drawn.said


def _loaded(student: Student, seed: int) -> nn.Module:
    images, ids, _ = pairs_of(seed)
    return loaded_clip(student, images, ids)


def _setting(seed: int) -> str:
    return f"{LISTS} lists of {LIST} pictures of held-out digits and their captions, seed {seed}"


def own_found(pictures: Tensor, texts: Tensor, said: Tensor) -> tuple[float, float]:
    """Return how often one's own partner is found in both directions, and how often a perfect model would find it.

    Of those that say the same, one is as likely to be taken as another. What is no more similar than something else is not found.
    """
    found, bound = [], []
    for rows in torch.arange(len(said)).split(LIST):
        same = (said[rows, None] == said[rows]).all(-1)
        fair = 1 / same.sum(1).double()
        for E in (pictures[rows] @ texts[rows].T, texts[rows] @ pictures[rows].T):
            best, other = E.masked_fill(~same, -torch.inf).amax(1), E.masked_fill(same, -torch.inf).amax(1)
            found.append(((best > other) * fair).mean())
            bound.append(fair.mean())
    return float(sum(found) / len(found)), float(sum(bound) / len(bound))


@exercise(CLIP)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the DualEncoder that my_clip() makes anew at every call"""
    _loaded(student, seed)
    weights.made_anew(student, CLIP, "clip.safetensors")


@exercise(CLIP)
@points(1)
@measured
def check_it_finds_what_belongs_together(student: Student, seed: int) -> None:
    """Among 100, a picture finds its caption and a caption its picture as often as equal captions allow"""
    (images, ids, said), model = pairs_of(seed), _loaded(student, seed)
    found, bound = own_found(*vectors(model, images, ids), said)
    full, none = RETRIEVAL
    failure = CheckFailure(
        "accuracy",
        "Too few captions and pictures find each other.",
        setting=_setting(seed),
        received=found / bound,
        expected=f"at least {full:.0%} of the {bound:.1%} that equal captions allow (points in eighths above {none:.0%})",
        yours=f"{found / bound:.1%} of them",
        cause="model not good enough yet",
        hint="Has training come to its end, and does the loss still fall? Then train longer. Does each picture stand beside "
        "its own caption, and does the handwriting vary?",
    )
    weights.judge(found / bound, full, none, failure)


@functools.lru_cache(maxsize=4)
def _unseen(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return pictures of combinations that are not in the training, which digits they show, and all prompts (10, 18) as ids."""
    from course_lib.data import caption_of, captioned_vocabulary, draw_captioned_digits

    drawn = draw_captioned_digits(UNSEEN, Draw(seed, "unseen").new_seed(), "one_fifth", combinations="unseen")
    prompts = [caption_of(digit, ink, paper) for digit in range(10) for ink in range(6) for paper in range(3)]
    return drawn.images, drawn.said[:, 0], captioned_vocabulary().batch(prompts)[0]


def unseen_named(model: nn.Module, seed: int) -> float:
    """Return the share of pictures of unseen combinations whose digit the ensemble of prompts names."""
    images, digits, prompts = _unseen(seed)
    pictures, texts = vectors(model, images, prompts)
    said = references.zero_shot(pictures, texts.unflatten(0, (10, 18))).argmax(dim=1)
    return float((said == digits).double().mean())


@exercise(CLIP)
@points(1)
@measured
def check_it_names_unseen_combinations(student: Student, seed: int) -> None:
    """Digits in inks in which they never occurred in the training are named by comparison with sentences"""
    share, (full, none) = unseen_named(_loaded(student, seed), seed), ZERO_SHOT
    failure = CheckFailure(
        "accuracy",
        "Too few of the combinations that were never seen are read.",
        setting=f"{UNSEEN} pictures of held-out digits in inks that the training did not show them in, seed {seed}",
        received=share,
        expected=f"at least {full:.0%} (points in eighths above {none:.0%})",
        yours=f"{share:.1%}",
        cause="unseen combinations not read",
        hint="Does it find captions of combinations that it has seen? If not, see above. If it does, it has learned pairs by "
        "heart: a smaller encoder of texts, a narrower shared space or more weight decay leave it less room for that.",
    )
    weights.judge(share, full, none, failure)


@exercise(CLIP)
@points(1)
@measured
def check_it_uses_both(student: Student, seed: int) -> None:
    """It finds captions by their pictures: not if the captions are shuffled, and not if the pictures are black"""
    (images, ids, said), model = pairs_of(seed), _loaded(student, seed)
    pictures, texts = vectors(model, images, ids)
    found, bound = own_found(pictures, texts, said)
    dealt = own_found(pictures, texts[_dealt(seed)], said)[0]
    black, _ = vectors(model, torch.zeros_like(images[:FEWEST]), ids[:FEWEST])
    blank = own_found(black.repeat(len(said) // FEWEST, 1), texts, said)[0]
    good = found >= LEAST * bound
    if good and dealt <= CONTROL * found and blank <= CONTROL * found:
        return
    fail_control(
        _setting(seed),
        good,
        "pictures or captions not used",
        "A model that finds as much without the picture, or with the wrong caption, knows something else.",
        expected=f"at least {LEAST:.0%} of the bound, and at most a quarter as many with other captions and with black pictures",
        yours=f"{found / bound:.0%} of the bound; {dealt / bound:.0%} with other captions, {blank / bound:.0%} with black "
        "pictures",
    )


FEWEST = 10  # black pictures: all are alike


def _dealt(seed: int) -> Tensor:
    """Return the order in which captions are dealt out anew, within each list."""
    return torch.cat([start + deal(LIST, seed + start, "dealt") for start in range(0, LIST * LISTS, LIST)])
