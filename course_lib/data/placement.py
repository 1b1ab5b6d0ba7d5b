"""Positions of a scene's digits in which the relations of its caption are clear."""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

EDGE = 1  # minimum number of pixels between a digit and the edge of the picture
GAP = 2  # minimum number of pixels between two digits
MARGIN = 8  # minimum number of pixels by which the distance along a relation exceeds the one across
FEWEST, MOST_TRIES = 8, 1024  # placements drawn for a scene at a time: more if fewer scenes are left
AT_ONCE = 16384  # placements of all scenes at a time
ROUNDS = 1000


def place(
    sizes: Int64[Tensor, "B O 2"], groups: Int64[Tensor, "B O"], canvas: int, random: torch.Generator
) -> tuple[Int64[Tensor, "B O 4"], Int64[Tensor, "B G"]]:
    """Return the boxes (x0, y0, x1, y1) of the digits, and the relation of each group to the next one.

    sizes: (width, height) in pixels; groups: the number of each digit's group, -1 where there is no digit (its box is
    zeros). A relation is an index into grammar.RELATIONS, 0 where there is none; it holds between every digit of a group
    and every digit of the next one. Each scene is drawn again until no two digits come closer than GAP and all
    relations are clear. Raises RuntimeError if that cannot be done.
    """
    boxes = torch.zeros(*groups.shape, 4, dtype=torch.int64)
    relations = torch.zeros(len(groups), groups.shape[1] - 1, dtype=torch.int64)
    open_scenes = torch.arange(len(groups))
    for _ in range(ROUNDS):
        if not len(open_scenes):
            return boxes * (groups >= 0)[..., None], relations
        tries = min(max(AT_ONCE // len(open_scenes), FEWEST), MOST_TRIES)
        tried = draw_boxes(sizes[open_scenes], canvas, tries, random)
        fine, directions = judge(tried, groups[open_scenes])
        found = fine.any(dim=1)
        first = fine.long().argmax(dim=1)[found]
        rows = torch.arange(len(fine))[found]
        boxes[open_scenes[found]] = tried[rows, first]
        relations[open_scenes[found]] = directions[rows, first]
        open_scenes = open_scenes[~found]
    raise RuntimeError(f"No place was found for digits of {sizes[open_scenes[0]].tolist()} on {canvas} pixels.")


def draw_boxes(
    sizes: Int64[Tensor, "B O 2"], canvas: int, tries: int, random: torch.Generator
) -> Int64[Tensor, "B K O 4"]:
    """Return `tries` boxes for every digit, each anywhere on the canvas."""
    chance = torch.rand(len(sizes), tries, *sizes.shape[1:], generator=random)
    free = canvas - 2 * EDGE - sizes[:, None] + 1
    corners = EDGE + (chance * free).long()
    return torch.cat((corners, corners + sizes[:, None]), dim=-1)


def judge(
    boxes: Int64[Tensor, "B K O 4"], groups: Int64[Tensor, "B O"]
) -> tuple[Bool[Tensor, "B K"], Int64[Tensor, "B K G"]]:
    """Return whether each placement is clear, and the relations of each group to the next one."""
    count = groups.shape[1]
    here = (groups >= 0)[:, None]  # (B, 1, O)
    fine = torch.ones(boxes.shape[:2], dtype=torch.bool)
    relations = torch.full((*boxes.shape[:2], count - 1), -1)
    for i in range(count):
        for j in range(i + 1, count):
            apart, direction = compare(boxes[:, :, i], boxes[:, :, j])
            both = here[..., i] & here[..., j]
            fine &= apart | ~both
            for group in range(count - 1):
                related = both & ((groups[:, i] == group) & (groups[:, j] == group + 1))[:, None]
                known = relations[..., group]
                fine &= ~related | ((direction >= 0) & ((known < 0) | (known == direction)))
                relations[..., group] = torch.where(related, direction, known)
    return fine, relations.clamp(min=0)


def compare(
    first: Int64[Tensor, "*B 4"], second: Int64[Tensor, "*B 4"]
) -> tuple[Bool[Tensor, "*B"], Int64[Tensor, "*B"]]:
    """Return whether two boxes are at least GAP apart, and the relation of the first to the second, -1 if none is clear.

    "left of" means: the first box ends at least GAP pixels before the second begins, and the centres are at least
    MARGIN pixels further apart in x than in y. The others likewise.
    """
    gaps = (
        second[..., 0] - first[..., 2],  # in the order of grammar.RELATIONS: left of, right of, above, below
        first[..., 0] - second[..., 2],
        second[..., 1] - first[..., 3],
        first[..., 1] - second[..., 3],
    )
    between = torch.stack(gaps)  # (4, *B)
    twice = first + first.roll(2, -1) - second - second.roll(2, -1)  # two times the distances of the centres
    dx, dy = twice[..., 0].abs(), twice[..., 1].abs()
    lead = torch.stack((dx - dy, dx - dy, dy - dx, dy - dx))
    clear = (between >= GAP) & (lead >= 2 * MARGIN)
    relation = torch.where(clear.any(dim=0), clear.long().argmax(dim=0), -1)
    return (between >= GAP).any(dim=0), relation
