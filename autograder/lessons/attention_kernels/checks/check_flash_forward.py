"""flash_forward(Q, K, V, block_q=16, block_k=16, causal=False) -> (Y, L)."""

import functools
import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    is_stateless,
    measured,
    points,
    promises,
)
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.states import logs_are
from autograder.lessons.attention_kernels.checks.tiles import hidden_tiles_save_work

NAME = "flash_forward"
#: N_Q, N_K, block_q, block_k: one row, whole tiles, remainders on either side, tiles that are not square, one tile for all.
CASES = (
    (1, 1, 16, 16),
    (8, 8, 4, 4),
    (5, 7, 4, 4),
    (17, 17, 4, 4),
    (17, 17, 3, 7),
    (17, 17, 7, 3),
    (5, 23, 2, 7),
    (1, 23, 16, 4),
    (13, 13, 64, 64),
    (13, 13, 1, 1),
)


def _inputs(draw: Draw, *lead: int, N_Q: int, N_K: int, D: int = 11, D_V: int = 13, dtype: torch.dtype = torch.float64):
    return tuple(draw.normal(*lead, *shape, dtype=dtype) for shape in ((N_Q, D), (N_K, D), (N_K, D_V)))


def _setting(inputs: tuple, **options: Any) -> str:
    given = ", ".join(f"{key}={value}" for key, value in options.items())
    return f"N_Q = {inputs[0].shape[-2]}, N_K = {inputs[1].shape[-2]}, {given or 'defaults'}, {inputs[0].dtype}"


def _want(inputs: tuple, causal: bool) -> tuple[Tensor, Tensor]:
    Q, K, V = (x.double() for x in inputs)
    return references.flash_forward(Q, K, V, causal=causal)


def _call(student: Student, inputs: tuple, **options: Any) -> tuple[Tensor, Tensor]:
    return expect.pair(student.call(NAME, *inputs, **options), "Y", "L")


def _compare(student: Student, inputs: tuple, size: float = 4.0, **options: Any) -> tuple[Tensor, Tensor]:
    """Compare Y. L is the business of its own check."""
    Y, L = _call(student, inputs, **options)
    want, _ = _want(inputs, options.get("causal", False))
    expect.allclose(Y, want, "Y", size=size, setting=_setting(inputs, **options))
    return Y, L


@exercise(NAME)
@points(2)
def check_any_length_and_tile(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y is exact for any lengths and any tiles, also where a block of keys is not full"""
    for N_Q, N_K, block_q, block_k in CASES:
        _compare(student, _inputs(draw, sizes.B, N_Q=N_Q, N_K=N_K), block_q=block_q, block_k=block_k)
    for N_K in (1, 15, 17, 129):
        _compare(student, _inputs(draw, N_Q=5, N_K=N_K))
    inputs = _inputs(draw, sizes.B, sizes.H, N_Q=5, N_K=7)
    student.answer(Request(NAME, inputs, {"causal": True}, deep=True))  # ready-made functions below the Python level


@exercise(NAME)
@points(3)
def check_causal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With causal=True, query i sees the keys up to i + N_K − N_Q: the queries are the last rows"""
    for N_Q, N_K, block_q, block_k in CASES:
        inputs = _inputs(draw, sizes.B, N_Q=N_Q, N_K=N_K)
        _compare(student, inputs, block_q=block_q, block_k=block_k, causal=True)
    _compare(student, _inputs(draw, N_Q=23, N_K=23), causal=True)


@exercise(NAME)
@points(2)
def check_log_sum_exp(student: Student, sizes: Sizes, draw: Draw) -> None:
    """L is the natural logarithm of the sum of the exponentials of a row's scores"""
    for N_Q, N_K, block_q, block_k in CASES:
        inputs = _inputs(draw, sizes.B, N_Q=N_Q, N_K=N_K)
        for causal in (False, True):
            options = {"block_q": block_q, "block_k": block_k, "causal": causal}
            _, L = _call(student, inputs, **options)
            logs_are(L, _want(inputs, causal)[1], _setting(inputs, **options))


@exercise(NAME)
@points(1)
def check_rows_without_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A row that sees no key has Y = 0 and L = −∞: causal with N_Q > N_K, or no keys at all"""
    for N_Q, N_K, causal in ((11, 5, True), (7, 3, True), (5, 0, False), (5, 0, True)):
        inputs = _inputs(draw, sizes.B, N_Q=N_Q, N_K=N_K)
        for block in (2, 4, 16):
            options = {"block_q": block, "block_k": block, "causal": causal}
            _, L = _compare(student, inputs, **options)
            logs_are(L, _want(inputs, causal)[1], _setting(inputs, **options))


@exercise(NAME)
@points(1)
def check_large_scores(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Scores of any size and of either sign give the right numbers"""
    for scale in (30.0, 30_000.0):
        Q, K, V = _inputs(draw, sizes.B, N_Q=11, N_K=11)
        for queries, keys in ((scale * Q, K), (scale * Q.abs(), -K.abs() - 1), (scale * Q.abs(), K.abs() + 1)):
            for causal in (False, True):
                size = float((queries @ keys.mT).abs().max())
                _compare(student, (queries, keys, V), size, block_q=4, block_k=3, causal=causal)


#: Queries, keys, and the side of a tile, where the work of a causal call is compared with that of all tiles: the last 256 queries
#: see keys, and 10 of 128 tiles are visible.
WORKED, SIDE = (2048, 256), 64


@exercise(NAME)
@points(1)
@measured
def check_hidden_tiles_are_not_touched(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A block of keys that no query of the block sees is not touched: its keys and values may be NaN, and it costs no work"""
    for N_Q, N_K in ((24, 24), (8, 24)):
        Q, K, V = _inputs(draw, N_Q=N_Q, N_K=N_K)
        before = N_K - N_Q + 4
        want, _ = references.flash_forward(Q[:4], K[:before], V[:before], causal=True)
        K, V = K.clone(), V.clone()
        K[before:] = V[before:] = math.nan
        Y, _ = _call(student, (Q, K, V), block_q=4, block_k=4, causal=True)
        setting = f"N_Q = {N_Q}, N_K = {N_K}, tiles of 4, causal, NaN from key {before} on"
        expect.shape(Y, (N_Q, 13), "Y", "(N_Q, D_V)", setting)
        if not bool(Y[:4].isfinite().all()):
            raise CheckFailure(
                "work",
                "The first four outputs depend on keys that are hidden from all queries of their block.",
                setting=setting,
                expected="numbers",
                yours="NaN",
                received="touched",
                cause="hidden tiles are computed",
                hint="Zero times NaN is NaN. Look at where the loop over the blocks of keys ends.",
            )
        expect.allclose(Y[:4], want, "Y", size=4.0, setting=setting)
    # NaN may be replaced by numbers first, which leaves the work.
    part, whole = ({"block_q": SIDE, "block_k": SIDE, "causal": causal} for causal in (True, False))
    fresh = functools.partial(_inputs, draw, N_Q=WORKED[0], N_K=WORKED[1], dtype=torch.float32)
    hidden_tiles_save_work(
        student,
        NAME,
        fresh,
        part,
        whole,
        message="With causal=True, the work is nearly as much, or more.",
        setting=f"N_Q = {WORKED[0]}, N_K = {WORKED[1]}, tiles of {SIDE}",
        whole_is="causal=False",
        hint="A block of keys that begins after the last query of the block of queries adds nothing. Look at where the loop over "
        "the blocks of keys ends.",
    )


@exercise(NAME)
@points(1)
@promises
def check_dtype_and_inputs_are_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Dtype and device are kept, Q, K and V are not changed, and every call computes afresh"""
    for dtype in (torch.float32, torch.float64):
        inputs = _inputs(draw, sizes.B, N_Q=5, N_K=23, dtype=dtype)
        for value, name in zip(_compare(student, inputs, causal=True), ("Y", "L"), strict=True):
            expect.dtype(value, dtype, name)
    is_stateless(
        student,
        NAME,
        lambda *args: references.flash_forward(*args)[0],
        inputs,
        draw,
        first=lambda value: expect.pair(value, "Y", "L")[0],
    )
    function_works_where_its_inputs_are(student, NAME, *inputs, 16, 16, True)


@exercise(NAME)
@points(1)
@measured
def check_memory(student: Student, draw: Draw) -> None:
    """No matrix of N_Q × N_K is in memory at any time"""
    N = 3072  # a whole matrix has 36 MiB, which no pool of an allocator hides
    inputs = _inputs(draw, N_Q=7, N_K=23)
    _compare(student, inputs)
    peak = student.peak_memory(
        NAME, lambda: _inputs(draw, N_Q=N, N_K=N, dtype=torch.float32), block_q=256, block_k=256, causal=True
    )
    if peak > N * N:
        raise CheckFailure(
            "memory",
            "Too much memory is held at once.",
            setting=f"N = {N}, tiles of 256, float32",
            expected=f"at most {N * N / 2**20:.0f} MiB, a quarter of one whole matrix",
            yours=f"{peak / 2**20:.1f} MiB",
            received="memory",
            cause="the whole N × N matrix is in memory",
            hint="Somewhere a tensor has both N queries and N keys. Handle one tile at a time, and keep only sums.",
        )
