"""Vary handwriting: rotate, stretch, bend and thicken small pictures of digits, as other people might have written them."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

# Standard deviations, for a strength of 1.
TURN = 0.12  # radians
STRETCH = 0.1  # of the width, as a logarithm
RISE = 0.05  # of the height, as a logarithm; upwards only, since a digit fills its picture
SHIFT = 0.06  # of half the width
BEND = 0.1  # of half the width, at each of KNOTS x KNOTS places
THICKNESS = 0.25  # of the exponent of the ink, as a logarithm
KNOTS = 4
LEFT_ALONE = 0.2  # of the pictures


def deform(images: Float[Tensor, "N 8 8"], strength: float, random: torch.Generator) -> Float[Tensor, "N 8 8"]:
    """Return the pictures, each turned, stretched, shifted, bent and thickened or thinned by random amounts.

    A column that was empty stays empty, so that no digit becomes wider. One picture in five is left as it is.
    """
    N, size = len(images), images.shape[-1]
    grid = _moved(_places(size).expand(N, -1, -1, -1), strength, random)
    knots = strength * BEND * torch.randn(N, 2, KNOTS, KNOTS, generator=random)
    bend = F.interpolate(knots, size=(size, size), mode="bicubic", align_corners=True).movedim(1, -1)
    new = F.grid_sample(images[:, None], grid + bend, padding_mode="zeros", align_corners=False)[:, 0]
    new = new.clamp(0, 1) ** torch.exp(strength * THICKNESS * torch.randn(N, 1, 1, generator=random))
    new = new * (images > 0).any(dim=1, keepdim=True)
    alone = torch.rand(N, 1, 1, generator=random) < LEFT_ALONE
    return torch.where(alone, images, new)


def _places(size: int) -> Float[Tensor, "size size 2"]:
    """Return (x, y) of each pixel's centre, from -1 to 1, in grid_sample's coordinates."""
    line = (torch.arange(size) + 0.5) * 2 / size - 1
    return torch.stack(torch.meshgrid(line, line, indexing="xy"), dim=-1)


def _moved(grid: Float[Tensor, "N R C 2"], strength: float, random: torch.Generator) -> Float[Tensor, "N R C 2"]:
    """Return the source of each pixel's ink when the pictures are rotated, stretched and shifted."""
    angle, wide, tall = strength * torch.randn(3, len(grid), generator=random)
    cos, sin = torch.cos(TURN * angle), torch.sin(TURN * angle)
    scale = torch.stack((torch.exp(STRETCH * wide), torch.exp(-RISE * tall.abs())), dim=-1)
    turn = torch.stack((torch.stack((cos, -sin), dim=-1), torch.stack((sin, cos), dim=-1)), dim=-2)  # (N, 2, 2)
    shift = strength * SHIFT * torch.randn(len(grid), 1, 1, 2, generator=random)
    return torch.einsum("nij, nrcj -> nrci", turn, grid) * scale[:, None, None] + shift
