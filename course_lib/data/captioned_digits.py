"""A handwritten digit in coloured ink on shaded paper, three independent draws, with a caption that names all of them."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from course_lib.data.deformation import deform
from course_lib.data.digits import handwritten_digits
from course_lib.data.vocabulary import Vocabulary
from course_lib.generators import generator_of

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
INKS = {
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "yellow": (1.0, 1.0, 0.0),
    "purple": (1.0, 0.0, 1.0),
    "cyan": (0.0, 1.0, 1.0),
}
PAPERS = {"black": 0.0, "grey": 0.5, "white": 1.0}
COMBINATIONS = ("all", "seen", "unseen")
NOISE = 0.05  # standard deviation, on every pixel
PALEST = 0.6  # minimum share of an ink's light, in each of its colours
SHADES = 0.12  # maximum difference of a paper's light from that in PAPERS

#: In nats, for captions whose digit, ink and paper are drawn independently and uniformly.
CAPTION_ENTROPY = math.log(len(DIGITS) * len(INKS) * len(PAPERS))


@dataclass(frozen=True)
class CaptionedDigits:
    """Pictures (red, green and blue light, from 0 to 1), the words of each caption, and their meaning.

    said: the digit, the index of its ink in INKS and of its paper in PAPERS. Two pictures have the same caption if and only if
    all three agree.
    """

    images: Float[Tensor, "N 3 8 8"]
    captions: list[list[str]]
    said: Int64[Tensor, "N 3"]

    def __len__(self) -> int:
        return len(self.captions)


def draw_captioned_digits(
    count: int, seed: int, part: str = "four_fifths", variation: float = 0.0, combinations: str = "all"
) -> CaptionedDigits:
    """Return `count` pictures of 8 x 8 pixels, each with a digit of this part of the handwritten digits, and their captions.

    Digit, ink and paper are drawn independently and uniformly. combinations: "all" of digit and ink, or only the "unseen" ones
    (digit d in ink number d mod 6, ten of sixty), or all others, "seen". variation: the strength of the handwriting's
    variation, 0 for none (see `deform`). The same arguments always give the same pictures.

    Raises ValueError for a count or a variation below 0 or an unknown part or combinations, and ImportError without scikit-learn.
    """
    if count < 0 or variation < 0:
        raise ValueError(f"Expected count and variation to be at least 0, got {count} and {variation}.")
    if combinations not in COMBINATIONS:
        raise ValueError(f"Expected combinations to be one of {', '.join(COMBINATIONS)}, got {combinations!r}.")
    digits, random = handwritten_digits(part), generator_of(seed)
    digit, ink = _combinations(combinations)[torch.randint(_count(combinations), (count,), generator=random)].T
    paper = torch.randint(len(PAPERS), (count,), generator=random)
    strokes = digits.images[_pictures_of(digit, digits.labels, random)]
    if variation and count:
        strokes = deform(strokes, variation, random)
    images = _print(strokes, ink, paper, random)
    images = (images + NOISE * torch.randn(images.shape, generator=random)).clamp(0, 1)
    said = torch.stack((digit, ink, paper), dim=1)
    return CaptionedDigits(images, [caption_of(*each) for each in said.tolist()], said)


def caption_of(digit: int, ink: int, paper: int) -> list[str]:
    """Return the words of a caption, such as "a red three on white". Black paper is not mentioned: "a red three"."""
    words = ["a", tuple(INKS)[ink], DIGITS[digit]]
    return words if paper == 0 else [*words, "on", tuple(PAPERS)[paper]]


def captioned_vocabulary() -> Vocabulary:
    """Return the words of captions, and of prompts about the same contents."""
    return Vocabulary(("a", "on", *DIGITS, *INKS, *PAPERS))


def _combinations(which: str) -> Int64[Tensor, "K 2"]:
    """Return all pairs (digit, ink) that may be drawn."""
    digit, ink = torch.meshgrid(torch.arange(len(DIGITS)), torch.arange(len(INKS)), indexing="ij")
    pairs, unseen = torch.stack((digit, ink), dim=-1).flatten(0, 1), (ink == digit % len(INKS)).flatten()
    return {"all": pairs, "seen": pairs[~unseen], "unseen": pairs[unseen]}[which]


def _count(which: str) -> int:
    return len(_combinations(which))


def _pictures_of(digit: Tensor, labels: Tensor, random: torch.Generator) -> Int64[Tensor, " N"]:
    """Return the row of a random picture of each digit; the labels are sorted."""
    counts = torch.bincount(labels, minlength=len(DIGITS))
    first = counts.cumsum(0) - counts
    return first[digit] + (torch.rand(len(digit), generator=random) * counts[digit]).long()


def _print(strokes: Tensor, ink: Tensor, paper: Tensor, random: torch.Generator) -> Float[Tensor, "N 3 8 8"]:
    """Return pictures in which ink covers paper where the strokes are dark; inks and papers vary slightly."""
    light = PALEST + (1 - PALEST) * torch.rand(len(ink), 3, generator=random)
    colour = (torch.tensor(list(INKS.values()))[ink] * light)[..., None, None]  # (N, 3, 1, 1)
    other = SHADES * (2 * torch.rand(len(paper), generator=random) - 1)
    shade = (torch.tensor(list(PAPERS.values()))[paper] + other).clamp(0, 1)[:, None, None, None]
    return shade + strokes[:, None] * (colour - shade)
