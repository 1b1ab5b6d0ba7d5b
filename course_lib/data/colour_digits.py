"""Pictures of three overlapping handwritten digits in different colours, labelled with the red one."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from course_lib.data.deformation import deform
from course_lib.data.digits import handwritten_digits
from course_lib.generators import generator_of

COLOURS = ("red", "green", "blue")
SIDE = 8  # pixels of a digit


@dataclass(frozen=True)
class ColourDigits:
    """Pictures (red, green and blue light, from 0 to 1), labelled with the red digit.

    digits: the red, the green and the blue digit; boxes: the x0, y0, x1, y1 of each, in pixels.
    """

    images: Float[Tensor, "N 3 S S"]
    labels: Int64[Tensor, " N"]
    digits: Int64[Tensor, "N 3"]
    boxes: Int64[Tensor, "N 3 4"]

    def __len__(self) -> int:
        return len(self.labels)


def draw_colour_digits(
    count: int | None, seed: int, part: str = "four_fifths", size: int = SIDE, variation: float = 0.0
) -> ColourDigits:
    """Return pictures of `size` x `size` pixels, with a red, a green and a blue digit of this part of the handwritten digits.

    count: the number of pictures, with red digits drawn at random with repetition; None: each digit of the part is the red one
    once. The other two are always drawn at random. If size is above 8, each digit has a random position. variation: the
    strength of the handwriting's variation, 0 for none (see `deform`). The same arguments always give the same pictures.

    Raises ValueError for a size below 8, a count or a variation below 0, or an unknown part, and ImportError without
    scikit-learn.
    """
    if size < SIDE:
        raise ValueError(f"Expected size to be at least {SIDE}, the side of a digit in pixels, got {size}.")
    if (count is not None and count < 0) or variation < 0:
        raise ValueError(f"Expected count and variation to be at least 0, got {count} and {variation}.")
    digits, random = handwritten_digits(part), generator_of(seed)
    N = len(digits.labels) if count is None else count
    rows = torch.randint(len(digits.labels), (N, 3), generator=random)
    if count is None:
        rows[:, 0] = torch.arange(N)
    ink = digits.images[rows.flatten()]
    if variation and N:
        ink = deform(ink, variation, random)
    corners = torch.randint(size - SIDE + 1, (N, 3, 2), generator=random)  # x, y
    images = _place(ink.view(N, 3, SIDE, SIDE), corners, size)
    labels = digits.labels[rows]  # (N, 3)
    return ColourDigits(images, labels[:, 0], labels, torch.cat((corners, corners + SIDE), dim=-1))


def _place(ink: Float[Tensor, "N 3 8 8"], corners: Int64[Tensor, "N 3 2"], size: int) -> Float[Tensor, "N 3 S S"]:
    """Return black pictures with each digit in its channel, its upper left pixel at the corner."""
    line = torch.arange(size)
    # (N, 3, size): the column or row of the digit at each column or row of the picture.
    x, y = (line - corners[..., axis, None] for axis in (0, 1))
    wide = F.pad(ink, (0, 1, 0, 1))  # index 8 is black
    x, y = (torch.where((places >= 0) & (places < SIDE), places, SIDE) for places in (x, y))
    across = wide.gather(3, x[..., None, :].expand(-1, -1, SIDE + 1, -1))
    return across.gather(2, y[..., :, None].expand(-1, -1, -1, size))
