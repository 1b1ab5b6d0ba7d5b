"""Clutter in a scene: short strokes, and fragments of digits."""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

SIDE = 5  # pixels: maximum width and height of a piece; the smallest digit is 8 pixels tall
DISTANCE = 2  # pixels: minimum distance between a piece and a digit or another piece


def draw_clutter(
    images: Float[Tensor, "N 8 8"],
    boxes: Int64[Tensor, "B O 4"],
    canvas: int,
    pieces: int,
    random: torch.Generator,
) -> tuple[Float[Tensor, "B K 5 5"], Int64[Tensor, "B K 2"]]:
    """Return at most `pieces` pieces of clutter for each scene, and the corners (x, y) at which they lie.

    images: the digits from which fragments are cut; boxes: those of the digits in the scene. Some pieces are empty: about a
    third, and those for which there was no room.
    """
    B = len(boxes)
    stroke = torch.rand(B, pieces, generator=random) < 0.5
    ink = torch.where(
        stroke[..., None, None],
        strokes(B * pieces, random).view(B, pieces, SIDE, SIDE),
        fragments(images, B * pieces, random).view(B, pieces, SIDE, SIDE),
    )
    darkness = 0.4 + 0.5 * torch.rand(B, pieces, generator=random)
    corners = torch.randint(canvas - SIDE + 1, (B, pieces, 2), generator=random)
    wanted = torch.rand(B, pieces, generator=random) < 2 / 3
    kept = keep_free(corners, boxes, wanted)
    return ink * (darkness * kept)[..., None, None], corners


def strokes(count: int, random: torch.Generator) -> Float[Tensor, "N 5 5"]:
    """Return pictures of short straight lines, about one pixel and a half thick."""
    ends = torch.rand(count, 2, 2, generator=random) * (SIDE - 1)  # (N, end, xy)
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    y, x = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    to_pixel = torch.stack((x, y), dim=-1)[None] - start[:, None, None]  # (N, 5, 5, 2)
    length2 = along.square().sum(-1).clamp(min=0.01)[:, None, None]
    share = ((to_pixel * along[:, None, None]).sum(-1) / length2).clamp(0, 1)
    distance = (to_pixel - share[..., None] * along[:, None, None]).norm(dim=-1)
    return (1.5 - distance).clamp(0, 1)


def fragments(images: Float[Tensor, "N 8 8"], count: int, random: torch.Generator) -> Float[Tensor, "M 5 5"]:
    """Return corners and other parts of digits, 4 x 4 pixels each; the last row and column are empty."""
    chosen = images[torch.randint(len(images), (count,), generator=random)]
    windows = chosen.unfold(1, 4, 2).unfold(2, 4, 2).flatten(1, 2)  # (M, 9, 4, 4)
    which = torch.randint(windows.shape[1], (count,), generator=random)
    return torch.nn.functional.pad(windows[torch.arange(count), which], (0, 1, 0, 1))


def keep_free(
    corners: Int64[Tensor, "B K 2"], boxes: Int64[Tensor, "B O 4"], wanted: Bool[Tensor, "B K"]
) -> Bool[Tensor, "B K"]:
    """Return a mask of the wanted pieces that keep their distance from all digits and from earlier pieces."""
    squares = torch.cat((corners, corners + SIDE), dim=-1)  # (B, K, 4)
    digits = (boxes[..., 2] > boxes[..., 0])[:, None]  # (B, 1, O)
    kept = wanted & ~(near(squares[:, :, None], boxes[:, None]) & digits).any(dim=-1)
    for piece in range(1, corners.shape[1]):
        others = near(squares[:, :piece], squares[:, piece, None]) & kept[:, :piece]
        kept[:, piece] &= ~others.any(dim=-1)
    return kept


def near(first: Int64[Tensor, "... 4"], second: Int64[Tensor, "... 4"]) -> Bool[Tensor, "..."]:
    """Return whether two boxes are less than DISTANCE apart."""
    before = torch.maximum(first[..., :2] - second[..., 2:], second[..., :2] - first[..., 2:])
    return before.amax(dim=-1) < DISTANCE
