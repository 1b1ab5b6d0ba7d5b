"""packed_attention(Q, K, V, starts_q, starts_k, causal=False)."""

import math

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, expect, points, promises
from autograder.lessons.attention_kernels import references

NAME = "packed_attention"
#: Lengths of the texts' queries and of their keys.
CASES = (([3, 5], [3, 5]), ([1, 17, 4], [1, 17, 4]), ([2, 1, 5], [7, 6, 5]), ([7], [7]))


def _inputs(
    draw: Draw, queries: list[int], keys: list[int], dtype: torch.dtype = torch.float64, heads: int = 3
) -> tuple[Tensor, ...]:
    Q, K, V = (draw.normal(heads, N, D, dtype=dtype) for N, D in ((sum(queries), 11), (sum(keys), 11), (sum(keys), 13)))
    return Q, K, V, *(torch.tensor([0, *lengths]).cumsum(0) for lengths in (queries, keys))


def _want(inputs: tuple, causal: bool) -> Tensor:
    Q, K, V, starts_q, starts_k = inputs
    return references.packed_attention(Q, K, V, starts_q, starts_k, causal)


def _compare(student: Student, inputs: tuple, what: str, size: float = 4.0, causal: bool = False) -> Tensor:
    options = {"causal": True} if causal else {}
    Y = expect.tensor(student.call(NAME, *inputs, **options), "Y")
    starts = ", ".join(f"starts_{name} = {each.tolist()}" for name, each in zip("qk", inputs[3:], strict=True))
    setting = f"{what}, {starts}, causal={causal}"
    expect.allclose(Y, _want(inputs, causal), "Y", size=size, setting=setting)
    return Y


@exercise(NAME)
@points(3)
def check_texts(student: Student, draw: Draw) -> None:
    """Each text gets what it would get alone"""
    for queries, keys in CASES:
        _compare(student, _inputs(draw, queries, keys), "packed")
    _compare(student, _inputs(draw, [3, 5], [3, 5], heads=1), "one head")
    _compare(student, _inputs(draw, [1], [4]), "one query")


@exercise(NAME)
@points(2)
def check_causal(student: Student, draw: Draw) -> None:
    """With causal=True, each text has a causal mask of its own, and its queries are the last of its keys"""
    for queries, keys in CASES:
        _compare(student, _inputs(draw, queries, keys), "packed", causal=True)


@exercise(NAME)
@points(1)
def check_empty_texts(student: Student, draw: Draw) -> None:
    """Texts without tokens change nothing, and rows without a key have zeros"""
    for queries, keys in (([3, 0, 5], [3, 0, 5]), ([0, 2], [0, 2]), ([2, 3, 1], [2, 0, 4]), ([0, 4], [3, 4])):
        _compare(student, _inputs(draw, queries, keys), "an empty text")
    _compare(student, _inputs(draw, [5, 4], [2, 4]), "more queries than keys", causal=True)


@exercise(NAME)
@points(1)
def check_nothing_leaks(student: Student, draw: Draw) -> None:
    """NaN in one text does not reach another"""
    Q, K, V, starts_q, starts_k = _inputs(draw, [3, 5, 2], [3, 5, 2])
    want = references.packed_attention(Q, K, V, starts_q, starts_k, True)
    Q, K, V = (X.clone() for X in (Q, K, V))
    Q[:, 3:8] = K[:, 3:8] = V[:, 3:8] = math.nan
    Y = expect.tensor(student.call(NAME, Q, K, V, starts_q, starts_k, causal=True), "Y")
    expect.shape(Y, want.shape, "Y", "(H, total queries, D_V)")
    for rows in (slice(0, 3), slice(8, 10)):
        setting = f"rows {rows.start} to {rows.stop - 1}, NaN in the text between"
        expect.allclose(Y[:, rows], want[:, rows], "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
@promises
def check_large_scores_and_dtype(student: Student, draw: Draw) -> None:
    """Large scores and starts of int32 work, the dtype is kept, and no argument is changed"""
    Q, K, V, *starts = _inputs(draw, [3, 5], [3, 5])
    _compare(student, (30_000 * Q.abs(), K.abs(), V, *starts), "scores up to 300,000", 3e5)
    _compare(student, (30_000 * Q.abs(), -K.abs(), V, *starts), "scores down to -300,000", 3e5)
    for dtype in (torch.float32, torch.float64):
        Q, K, V, *starts = _inputs(draw, [3, 5], [3, 5], dtype)
        Y = _compare(student, (Q, K, V, *(each.int() for each in starts)), str(dtype))
        expect.dtype(Y, dtype, "Y")
