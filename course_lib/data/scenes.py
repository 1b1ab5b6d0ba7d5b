"""Scenes of real handwritten digits with captions, whose every word and its position in the picture are known."""

import hashlib
from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from course_lib.data.clutter import draw_clutter
from course_lib.data.composition import MOST, choose, describe, pick
from course_lib.data.deformation import deform
from course_lib.data.digits import Digits, handwritten_digits
from course_lib.data.placement import place
from course_lib.data.rendering import paste, render, widths_of
from course_lib.generators import generator_of

CANVAS = 40  # pixels, width and height of a scene
HEIGHTS = (8, 12, 16)  # pixels: small, middle, large
STEEPEST = 0.25  # slant: columns for each row
CHUNK = 2048  # scenes drawn at a time
TENSORS = ("images", "boxes", "labels", "sources", "named")


@dataclass(frozen=True)
class Scenes:
    """B scenes with at most O = 3 digits and T = 13 words in a caption.

    images: the darkness of each pixel, 0 (paper) to 1 (ink).
    captions: the words of each caption, defined in `grammar`.
    boxes: (x0, y0, x1, y1) in pixels around the ink of each digit; x from the left, y from the top, x1 and y1 are just
        outside. Digits are in the order of mention. Where there is none: zeros, and -1 in the next two.
    labels: the digits, 0 to 9.
    sources: the index in scikit-learn's file of each digit's picture.
    named: True where word t of the caption names digit o. "fives" in "two fives" names two digits; other words, none.
    """

    images: Float[Tensor, "B 1 H W"]
    captions: list[list[str]]
    boxes: Int64[Tensor, "B O 4"]
    labels: Int64[Tensor, "B O"]
    sources: Int64[Tensor, "B O"]
    named: Bool[Tensor, "B T O"]

    def __len__(self) -> int:
        return len(self.captions)

    def __getitem__(self, which: slice) -> "Scenes":
        """Return some of the scenes, as in scenes[:8]."""
        return Scenes(*(getattr(self, field.name)[which] for field in fields(self)))

    def regions(self, height: int, width: int) -> Bool[Tensor, "B T height width"]:
        """Return the region of each word on a grid of height x width cells over the picture.

        True where a cell touches the box of a digit that the word names; a word that names no digit has no cells.
        """
        x = _touched(self.boxes[..., 0], self.boxes[..., 2], self.images.shape[3] / width, width)  # (B, O, width)
        y = _touched(self.boxes[..., 1], self.boxes[..., 3], self.images.shape[2] / height, height)
        inside = y[..., :, None] & x[..., None, :]  # (B, O, height, width)
        return (self.named[..., None, None] & inside[:, None]).any(dim=2)


def _touched(low: Tensor, high: Tensor, cell: float, count: int) -> Bool[Tensor, "B O N"]:
    edge = torch.arange(count, device=low.device) * cell
    return (low[..., None] < edge + cell) & (high[..., None] > edge)


def draw_scenes(
    count: int, seed: int, part: str = "train", clutter: int = 8, noise: float = 0.05, variation: float = 0.0
) -> Scenes:
    """Return `count` scenes, always the same ones for one seed on one version of torch.

    part: the source of the handwriting: "train", "held_out" or "new_writers"; see `handwritten_digits`. No two parts share a
        picture of a digit.
    clutter: the maximum number of strokes and fragments in a scene. They are less tall than any digit and touch none.
    noise: the standard deviation of normal noise on every pixel; the result is clipped to 0 and 1.
    variation: the strength of the handwriting's variation, which augments the data: 0 for none; 1 rotates, stretches, bends and
        thickens it as far as it stays legible. See `deformation`.

    Neither clutter nor noise changes the digits of a seed. Raises ValueError for an unknown part, or a number that is too small.
    """
    digits = handwritten_digits(part)
    if count < 1 or clutter < 0 or noise < 0 or variation < 0:
        raise ValueError(
            "Expected count to be at least 1, clutter, noise and variation at least 0, "
            f"got {count}, {clutter}, {noise} and {variation}."
        )
    random, rubbish, hands = (_generator(part, use, seed) for use in ("digits", "clutter", "variation"))
    chunks = []
    for start in range(0, count, CHUNK):
        scenes = _draw_digits(min(CHUNK, count - start), digits, random, variation, hands)
        chunks.append(_add_clutter(scenes, digits, clutter, noise, rubbish))
    return _join(chunks)


def _generator(part: str, use: str, seed: int) -> torch.Generator:
    """Return a separate generator for every part and use, so that no two share random numbers. All bits of a seed count."""
    digest = hashlib.sha256(f"{part}/{use}/{seed}".encode()).digest()
    wide = int.from_bytes(digest[:8], "big") >> 1
    return generator_of(wide if seed >= 2**32 else wide % 2**32)


def _draw_digits(B: int, digits: Digits, random: torch.Generator, variation: float, hands: torch.Generator) -> Scenes:
    groups, labels, sizes = choose(B, random)
    there = groups >= 0
    rows = pick(labels, digits.labels, random)
    heights = torch.tensor(HEIGHTS)[sizes]
    slants = STEEPEST * (2 * torch.rand(B, MOST, generator=random) - 1)
    images = digits.images[rows.flatten()]
    if variation:
        images = deform(images, variation, hands)
    ink = render(images, heights.flatten(), slants.flatten())
    widths = widths_of(ink).view(B, MOST)
    boxes, relations = place(torch.stack((widths, heights), dim=-1), groups, CANVAS, random)
    darkness = (0.75 + 0.25 * torch.rand(B, MOST, generator=random)) * there
    patches = ink.view(B, MOST, *ink.shape[1:]) * darkness[..., None, None]
    images = paste(torch.zeros(B, CANVAS, CANVAS), patches, boxes[..., :2])
    captions, named = describe(groups, labels, sizes, relations)
    return Scenes(
        images[:, None], captions, boxes, labels.where(there, -1), digits.sources[rows].where(there, -1), named
    )


def _add_clutter(scenes: Scenes, digits: Digits, pieces: int, noise: float, random: torch.Generator) -> Scenes:
    patches, corners = draw_clutter(digits.images, scenes.boxes, CANVAS, pieces, random)
    images = paste(scenes.images[:, 0], patches, corners)[:, None]
    images = images + noise * torch.randn(images.shape, generator=random)
    return replace(scenes, images=images.clamp(0, 1))


def _join(parts: list[Scenes]) -> Scenes:
    captions = [caption for part in parts for caption in part.captions]
    tensors = {name: torch.cat([getattr(part, name) for part in parts]) for name in TENSORS}
    return Scenes(captions=captions, **tensors)
