"""block_kinds(allowed, block_q, block_k)."""

import torch

from autograder.checks import CheckFailure, Draw, Matrix, Student, exercise, expect, points, promises
from autograder.lessons.attention_kernels import references

NAME = "block_kinds"
WORDS = {0: "hidden (0)", 1: "partial (1)", 2: "full (2)"}


def _compare(student: Student, allowed: torch.Tensor, block_q: int, block_k: int, what: str) -> torch.Tensor:
    kinds = expect.tensor(student.call(NAME, allowed, block_q, block_k), "The kinds")
    want = references.block_kinds(allowed, block_q, block_k)
    setting = f"{what} {tuple(allowed.shape)}, tiles of {block_q} × {block_k}"
    expect.shape(kinds, want.shape, "The kinds", "(tiles of rows, tiles of columns)", setting)
    wrong = kinds != want
    if bool(wrong.any()):
        a, b = wrong.nonzero()[0].tolist()
        tile = allowed[a * block_q : (a + 1) * block_q, b * block_k : (b + 1) * block_k]
        got = kinds[a, b].item()
        raise CheckFailure(
            "value",
            f"The kind of the tile in row {a}, column {b} is wrong.",
            setting=setting,
            expected=f"{WORDS[int(want[a, b])]}: {int(tile.sum())} of its {tile.numel()} pairs are allowed",
            yours=WORDS.get(int(got), str(got)),
            received=kinds.double(),
            wanted=want.double(),
            picture=Matrix(
                kinds.double(), want.double(), wrong, "kinds", "rows: tiles of queries, columns: tiles of keys"
            ),
        )
    return kinds


@exercise(NAME)
@points(2)
def check_three_kinds(student: Student, draw: Draw) -> None:
    """A tile is hidden if no pair is allowed, full if all are, and else partial"""
    _compare(student, torch.ones(12, 12, dtype=torch.bool).tril(), 4, 4, "causal")
    _compare(student, torch.ones(12, 12, dtype=torch.bool).triu(3), 2, 3, "upper triangle")
    for middle, what in (
        (False, "all allowed but the middle of each tile"),
        (True, "only the middle of each tile allowed"),
    ):
        holes = torch.full((3, 5), not middle)
        holes[1, 2] = middle
        _compare(student, holes.repeat(3, 2), 3, 5, what)
    for shape, tile in (((12, 8), (4, 2)), ((8, 12), (2, 4)), ((6, 6), (1, 1))):
        coarse = torch.rand(shape[0] // tile[0], shape[1] // tile[1], generator=draw.generator)
        chance = coarse.repeat_interleave(tile[0], 0).repeat_interleave(tile[1], 1)
        allowed = torch.where(
            chance < 0.3, 0, torch.where(chance > 0.7, 1, torch.rand(shape, generator=draw.generator))
        )
        _compare(student, allowed > 0.5, *tile, "mask")


@exercise(NAME)
@points(1)
def check_tiles_at_the_edge(student: Student, draw: Draw) -> None:
    """Smaller tiles at the lower and right edge count as what they are"""
    for N_Q, N_K, block_q, block_k in ((11, 13, 4, 4), (5, 17, 3, 7), (1, 7, 4, 2), (7, 1, 2, 16), (3, 5, 16, 16)):
        for mask, what in (
            (torch.ones(N_Q, N_K, dtype=torch.bool), "all allowed"),
            (torch.zeros(N_Q, N_K, dtype=torch.bool), "none allowed"),
            (references.causal_mask(N_Q, N_K), "causal"),
        ):
            _compare(student, mask, block_q, block_k, what)


@exercise(NAME)
@points(1)
@promises
def check_ids(student: Student, draw: Draw) -> None:
    """The kinds are whole numbers (int64), and the mask is not changed"""
    kinds = _compare(student, draw.allowed(11, 13), 4, 3, "mask")
    if kinds.dtype != torch.int64:
        raise CheckFailure(
            "dtype",
            "The kinds should be whole numbers of 64 bits.",
            expected="torch.int64",
            yours=str(kinds.dtype),
            received=str(kinds.dtype),
            cause="kinds of another dtype",
            hint="Python ints make an int64 tensor; .long() turns another one into it.",
        )
