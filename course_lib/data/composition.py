"""The composition of a scene before it is drawn: its digits, their sizes and groups, and its caption."""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from course_lib.data.grammar import LONGEST, caption_words

MOST = 3  # digits in a scene

# The possible numbers of digits in the groups of a scene, and their probabilities.
GROUPS = ((1,), (2,), (3,), (1, 1), (2, 1), (1, 2), (1, 1, 1))
SHARES = (0.12, 0.08, 0.06, 0.32, 0.09, 0.09, 0.24)


def choose(B: int, random: torch.Generator) -> tuple[Int64[Tensor, "B 3"], Int64[Tensor, "B 3"], Int64[Tensor, "B 3"]]:
    """Return, for each of at most 3 digits in a scene, the index of its group (-1: no digit), its value and its size.

    The digits are in the order in which captions mention them: by value, then from small (0) to large (2).
    """
    members = [[group for group, count in enumerate(counts) for _ in range(count)] for counts in GROUPS]
    table = torch.tensor([row + [-1] * (MOST - len(row)) for row in members])
    shape = torch.multinomial(torch.tensor(SHARES), B, replacement=True, generator=random)
    groups = table[shape]
    kinds = torch.rand(B, 30, generator=random).argsort(dim=1)[:, :MOST]  # ten values in three sizes, all different
    unused = torch.arange(MOST) > groups.amax(dim=1, keepdim=True)
    kinds = kinds.masked_fill(unused, 30).sort(dim=1).values.clamp(max=29)
    kinds = kinds.gather(1, groups.clamp(min=0))
    return groups, kinds // 3, kinds % 3


def pick(labels: Int64[Tensor, "B 3"], pool: Int64[Tensor, " N"], random: torch.Generator) -> Int64[Tensor, "B 3"]:
    """Return, for each digit, the index of a picture of it; `pool`: the labels of all pictures, sorted."""
    count = torch.bincount(pool, minlength=10)
    start = count.cumsum(0) - count
    chance = torch.rand(labels.shape, generator=random)
    return start[labels] + (chance * count[labels]).long()


def describe(
    groups: Int64[Tensor, "B 3"],
    labels: Int64[Tensor, "B 3"],
    sizes: Int64[Tensor, "B 3"],
    relations: Int64[Tensor, "B 2"],
) -> tuple[list[list[str]], Bool[Tensor, "B T 3"]]:
    """Return the captions, and a mask of the digits that each word names; T is the length of the longest possible caption."""
    captions = []
    named = torch.zeros(len(groups), LONGEST, MOST, dtype=torch.bool)
    marks = []
    rows = zip(groups.tolist(), labels.tolist(), sizes.tolist(), relations.tolist(), strict=True)
    for scene, (members, values, heights, between) in enumerate(rows):
        first = [members.index(group) for group in range(max(members) + 1)]
        said = [(values[place], heights[place], members.count(members[place])) for place in first]
        words, nouns = caption_words(said, between)
        captions.append(words)
        marks += [(scene, nouns[group], place) for place, group in enumerate(members) if group >= 0]
    named[tuple(torch.tensor(marks).T)] = True
    return captions, named
