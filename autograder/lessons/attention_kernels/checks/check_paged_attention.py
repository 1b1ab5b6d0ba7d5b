"""paged_attention(q, K_pages, V_pages, table, lengths)."""

import math

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, expect, points, promises
from autograder.lessons.attention_kernels import references

NAME = "paged_attention"


def _inputs(
    draw: Draw, lengths: list[int], size: int, H: int = 6, G: int = 2, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, ...]:
    """Return q, pages, a shuffled table with unused entries of −1, and lengths. Unused places are zeros."""
    needed = [-(-length // size) for length in lengths]
    order = draw.permutation(sum(needed) + 3).tolist()
    table = torch.full((len(lengths), max(*needed, 1) + 1), -1)
    K, V = torch.zeros(len(order), size, G, 11, dtype=dtype), torch.zeros(len(order), size, G, 13, dtype=dtype)
    for b, (length, count) in enumerate(zip(lengths, needed, strict=True)):
        pages, order = order[:count], order[count:]
        table[b, :count] = torch.tensor(pages, dtype=torch.int64)
        for t in range(length):
            K[pages[t // size], t % size], V[pages[t // size], t % size] = draw.normal(G, 11), draw.normal(G, 13)
    return draw.normal(len(lengths), H, 11, dtype=dtype), K, V, table, torch.tensor(lengths)


def _compare(student: Student, inputs: tuple, what: str, size: float = 4.0) -> Tensor:
    Y = expect.tensor(student.call(NAME, *inputs), "Y")
    q, K, _, _, lengths = inputs
    setting = f"{what}: lengths {lengths.tolist()}, pages of {K.shape[1]}, H = {q.shape[1]}, G = {K.shape[2]}"
    expect.allclose(Y, references.paged_attention(*inputs), "Y", size=size, setting=setting)
    return Y


@exercise(NAME)
@points(3)
def check_pages(student: Student, draw: Draw) -> None:
    """Token t of text b lies in page table[b, t // size] at place t % size, whatever the order of the pages"""
    for lengths, size in (([4, 8], 4), ([6, 9, 3], 3), ([5], 1), ([16, 16, 16], 16)):
        _compare(student, _inputs(draw, lengths, size, H=2, G=2), "full pages")


@exercise(NAME)
@points(2)
def check_lengths(student: Student, draw: Draw) -> None:
    """Only the tokens of a text count: its last page may be partly used, and a text may have one token"""
    for lengths, size in (([5, 1, 7], 4), ([1], 16), ([3, 17, 2, 11], 8), ([2, 3], 5)):
        _compare(student, _inputs(draw, lengths, size, H=2, G=2), "last page partly used")


@exercise(NAME)
@points(2)
def check_groups_of_heads(student: Student, draw: Draw) -> None:
    """Head h of the queries reads head h // (H / G) of the keys and values"""
    for H, G in ((6, 2), (6, 3), (5, 1), (4, 4)):
        _compare(student, _inputs(draw, [5, 8], 4, H, G), "groups")


@exercise(NAME)
@points(1)
def check_what_is_unused(student: Student, draw: Draw) -> None:
    """A text of length 0 has zeros, and unused places and pages, which may hold NaN, do not count"""
    _compare(student, _inputs(draw, [5, 0, 7], 4), "a text without tokens")
    _compare(student, _inputs(draw, [0], 4), "a text without tokens")
    q, K, V, table, lengths = _inputs(draw, [5, 1, 7], 4)
    used = torch.zeros(K.shape[:2], dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(length):
            used[table[b, t // 4], t % 4] = True
    K, V = (X.masked_fill(~used[..., None, None], math.nan) for X in (K, V))
    _compare(student, (q, K, V, table, lengths), "NaN in unused places")


@exercise(NAME)
@points(1)
@promises
def check_large_scores_and_dtype(student: Student, draw: Draw) -> None:
    """Large scores work, a table of int32 too, the dtype is kept, and no argument is changed"""
    q, K, V, table, lengths = _inputs(draw, [5, 9], 4)
    for sign in (1, -1):
        _compare(student, (30_000 * q.abs(), sign * K.abs(), V, table, lengths), "scores up to ±300,000", 3e5)
    for dtype in (torch.float32, torch.float64):
        q, K, V, table, lengths = _inputs(draw, [5, 9], 4, dtype=dtype)
        Y = _compare(student, (q, K, V, table.int(), lengths.int()), str(dtype))
        expect.dtype(Y, dtype, "Y")
