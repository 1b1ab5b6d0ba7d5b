"""Draw a small digit in another height and slant."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

TALLEST = 16  # pixels
WIDEST = 24  # room for the tallest digit at the steepest slant
FAINTEST = 0.05  # fainter ink, from interpolation, counts as paper


def render(
    images: Float[Tensor, "N 8 8"], heights: Int64[Tensor, " N"], slants: Float[Tensor, " N"]
) -> Float[Tensor, "N 16 24"]:
    """Return the digits, `heights` pixels tall (8 to 16) and sheared, with their ink in the upper left corner.

    slants: columns that a line leans to the right for each row that it rises. A slant keeps the height. The pictures in the file
    fill all of their eight rows, so that the ink is exactly `heights` tall.
    """
    scale = heights[:, None, None] / 8
    row = (torch.arange(TALLEST) + 0.5)[None, :, None] / scale - 4  # places in the file's pixels, from the centre
    column = (torch.arange(WIDEST) + 0.5 - WIDEST / 2)[None, None, :] / scale
    column = column + slants[:, None, None] * row
    grid = torch.stack(torch.broadcast_tensors(column, row), dim=-1) / 4  # from -1 to 1, as grid_sample counts
    ink = F.grid_sample(images[:, None], grid, padding_mode="zeros", align_corners=False)[:, 0]
    below = torch.arange(TALLEST)[None, :, None] >= heights[:, None, None]
    return move_left(ink.masked_fill(below | (ink < FAINTEST), 0.0))


def move_left(ink: Float[Tensor, "N R C"]) -> Float[Tensor, "N R C"]:
    """Move the empty columns at the left of the pictures to the right."""
    first = (ink > 0).any(dim=1).long().argmax(dim=-1)  # (N,)
    columns = torch.arange(ink.shape[-1]) + first[:, None]  # (N, C)
    inside = columns < ink.shape[-1]
    places = columns.clamp(max=ink.shape[-1] - 1)[:, None].expand_as(ink)
    return ink.gather(-1, places) * inside[:, None]


def widths_of(ink: Float[Tensor, "N R C"]) -> Int64[Tensor, " N"]:
    """Return the width of each picture's ink in columns, from the left edge."""
    columns = torch.arange(1, ink.shape[-1] + 1)
    return ((ink > 0).any(dim=1) * columns).amax(dim=-1)


def paste(
    canvas: Float[Tensor, "B H W"], patches: Float[Tensor, "B K R C"], corners: Int64[Tensor, "B K 2"]
) -> Float[Tensor, "B H W"]:
    """Return the canvases with K patches added to each, their upper left corners at the pixels `corners` (x, y).

    Patches must be empty beyond the edge of the canvas.
    """
    B, H, W = canvas.shape
    x = (corners[..., 0, None] + torch.arange(patches.shape[-1])).clamp(max=W - 1)  # (B, K, C)
    y = (corners[..., 1, None] + torch.arange(patches.shape[-2])).clamp(max=H - 1)  # (B, K, R)
    places = y[..., :, None] * W + x[..., None, :]  # (B, K, R, C)
    flat = canvas.flatten(1).scatter_add(1, places.flatten(1), patches.flatten(1))
    return flat.view(B, H, W)
