"""block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k) -> Y."""

import math

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, measured, points, promises
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.tiles import hidden_tiles_save_work

NAME = "block_sparse_attention"
CASES = ((8, 8, 4, 4), (11, 13, 4, 3), (5, 17, 3, 7), (1, 7, 4, 2), (7, 5, 16, 16))


def _inputs(draw: Draw, N_Q: int, N_K: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, ...]:
    return tuple(draw.normal(*shape, dtype=dtype) for shape in ((N_Q, 11), (N_K, 11), (N_K, 13)))


def _compare(
    student: Student, inputs: tuple, allowed: Tensor, kinds: Tensor, tile: tuple[int, int], what: str, size=4.0
):
    Y = expect.tensor(student.call(NAME, *inputs, allowed, kinds, *tile), "Y")
    Q, K, V = (x.double() for x in inputs)
    want = references.block_sparse_attention(Q, K, V, allowed, kinds, *tile)
    setting = f"{what}, N_Q = {len(inputs[0])}, N_K = {len(inputs[1])}, tiles of {tile[0]} × {tile[1]}"
    expect.allclose(Y, want, "Y", size=size, setting=setting)
    return Y


def _masks(draw: Draw, N_Q: int, N_K: int) -> dict[str, Tensor]:
    """Masks in which every row sees a key."""
    i, j = torch.arange(N_Q)[:, None] + max(0, N_K - N_Q), torch.arange(N_K)[None, :]
    return {
        "all allowed": torch.ones(N_Q, N_K, dtype=torch.bool),
        "causal": j <= i,
        "first key and the own": (j == 0) | (j == i),
    }


@exercise(NAME)
@points(3)
def check_masks(student: Student, draw: Draw) -> None:
    """Y is attention under the mask, for any lengths and tiles"""
    for N_Q, N_K, *tile in CASES:
        for what, allowed in _masks(draw, N_Q, N_K).items():
            kinds = references.block_kinds(allowed, *tile)
            _compare(student, _inputs(draw, N_Q, N_K), allowed, kinds, (tile[0], tile[1]), what)


@exercise(NAME)
@points(1)
def check_hidden_tiles_are_not_touched(student: Student, draw: Draw) -> None:
    """Keys and values of hidden tiles are not touched, and a hidden tile stays hidden whatever the mask says"""
    allowed = torch.ones(12, 15, dtype=torch.bool)
    kinds = torch.tensor([[2, 0, 1, 0, 0], [1, 0, 2, 0, 2], [2, 0, 2, 0, 1]])
    Q, K, V = _inputs(draw, 12, 15)
    _compare(student, (Q, K, V), allowed, kinds, (4, 3), "kinds hide what the mask allows")
    K, V = K.clone(), V.clone()
    K[3:6] = V[3:6] = K[9:12] = V[9:12] = math.nan
    Y = expect.tensor(student.call(NAME, Q, K, V, allowed, kinds, 4, 3), "Y")
    if not bool(Y.isfinite().all()):
        raise CheckFailure(
            "work",
            "Y depends on keys or values of hidden tiles.",
            setting="kinds of columns 1 and 3 are 0; their keys and values are NaN",
            expected="numbers",
            yours="NaN",
            received="touched",
            cause="hidden tiles are computed",
            hint="Zero times NaN is NaN. Look at which tiles the loop visits.",
        )
    _compare(student, (Q, K, V), allowed, kinds, (4, 3), "NaN in hidden tiles")


#: Rows, and the side of a tile, where the work is compared.
N, SIDE = 2048, 64


@exercise(NAME)
@points(1)
@measured
def check_hidden_tiles_save_work(student: Student, draw: Draw) -> None:
    """Hidden tiles cost no work: with one tile in sixteen it is far less than with all"""
    tiles = N // SIDE
    every = torch.full((tiles, tiles), 2)
    few = 2 * torch.eye(tiles, dtype=torch.int64)
    few[:, 0] = 2
    allowed = torch.ones(N, N, dtype=torch.bool)

    def fresh() -> tuple:
        return (*_inputs(draw, N, N, torch.float32), allowed)

    part, whole = ((kinds, SIDE, SIDE) for kinds in (few, every))
    hidden_tiles_save_work(
        student,
        NAME,
        fresh,
        part,
        whole,
        message="Where nearly all tiles are hidden, the work is nearly as much, or more.",
        setting=f"N_Q = N_K = {N}, tiles of {SIDE} × {SIDE}, {int((few > 0).sum())} of {few.numel()} visible",
        whole_is="all tiles",
        hint="A mask saves time only if whole tiles are left out. Look at which tiles the loop visits.",
    )


@exercise(NAME)
@points(1)
def check_full_tiles_read_no_mask(student: Student, draw: Draw) -> None:
    """In tiles of kind 2 the mask is not looked at"""
    allowed = draw.allowed(12, 15)
    kinds = torch.tensor([[2, 0, 1, 0, 0], [1, 2, 2, 0, 2], [2, 1, 2, 2, 1]])
    _compare(student, _inputs(draw, 12, 15), allowed, kinds, (4, 3), "kinds 2 over a mask that hides pairs")


@exercise(NAME)
@points(1)
def check_rows_without_keys(student: Student, draw: Draw) -> None:
    """Rows without a key have zeros, in partial tiles and without any tile"""
    for N_Q, N_K, *tile in CASES:
        allowed = torch.ones(N_Q, N_K, dtype=torch.bool).tril(-1)
        allowed[N_Q // 2 :] = False
        allowed[-1, -1] = N_Q > 1
        kinds = references.block_kinds(allowed, *tile)
        _compare(student, _inputs(draw, N_Q, N_K), allowed, kinds, (tile[0], tile[1]), "rows without keys")


@exercise(NAME)
@points(1)
@promises
def check_large_scores_and_dtype(student: Student, draw: Draw) -> None:
    """Large scores work, the dtype is kept, and no argument is changed"""
    allowed = references.causal_mask(11, 13)
    kinds = references.block_kinds(allowed, 4, 3)
    Q, K, V = _inputs(draw, 11, 13)
    for sign in (1, -1):
        _compare(student, (30_000 * Q.abs(), sign * K.abs(), V), allowed, kinds, (4, 3), "scores up to ±300,000", 3e5)
    for dtype in (torch.float32, torch.float64):
        Y = _compare(student, _inputs(draw, 11, 13, dtype), allowed, kinds, (4, 3), str(dtype))
        expect.dtype(Y, dtype, "Y")
