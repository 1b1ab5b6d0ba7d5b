"""Augmentation in plain PyTorch: small changes of pictures that preserve their content."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def shift_pictures(images: Float[Tensor, "B C H W"], most: int, random: torch.Generator) -> Float[Tensor, "B C H W"]:
    """Return the pictures, each shifted by up to `most` pixels in both directions and filled with 0 at the edge.

    This equals a "random crop with padding". Raises ValueError if `most` is below 0.
    """
    if most < 0:
        raise ValueError(f"Expected most to be at least 0 pixels, got {most}.")
    B, _, H, W = images.shape
    wide = F.pad(images, (most, most, most, most))
    x, y = (torch.randint(2 * most + 1, (B, 1), generator=random) for _ in range(2))
    rows, columns = torch.arange(H) + y, torch.arange(W) + x  # (B, H), (B, W)
    batch = torch.arange(B)[:, None, None]
    return wide.movedim(1, -1)[batch, rows[:, :, None], columns[:, None, :]].movedim(-1, 1)


def flip_pictures(images: Float[Tensor, "B C H W"], random: torch.Generator) -> Float[Tensor, "B C H W"]:
    """Return the pictures, each mirrored left to right with probability 1/2. Not for digits and letters."""
    mirrored = torch.rand(len(images), 1, 1, 1, generator=random) < 0.5
    return torch.where(mirrored.to(images.device), images.flip(-1), images)


def erase_squares(images: Float[Tensor, "B C H W"], side: int, random: torch.Generator) -> Float[Tensor, "B C H W"]:
    """Return the pictures, each with a square of `side` pixels at a random place set to 0 (DeVries and Taylor 2017, Cutout).

    The square's centre lies anywhere in the picture, so it may reach over the edge. Raises ValueError if `side` is below 0.
    """
    if side < 0:
        raise ValueError(f"Expected side to be at least 0 pixels, got {side}.")
    B, _, H, W = images.shape
    inside = []
    for length in (H, W):
        first = torch.randint(length, (B, 1), generator=random) - side // 2
        line = torch.arange(length)
        inside.append((line >= first) & (line < first + side))  # (B, length)
    square = (inside[0][:, :, None] & inside[1][:, None, :])[:, None]  # (B, 1, H, W)
    return images.masked_fill(square.to(images.device), 0.0)
