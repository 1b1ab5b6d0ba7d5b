"""split_states(q, K, V, splits) -> (Y, L)."""

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, expect, points, promises
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.states import logs_are, states_are

NAME = "split_states"
#: Heads of queries, heads of keys.
HEADS = ((6, 2), (3, 3), (5, 1))


def _inputs(draw: Draw, H: int, G: int, N: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    return draw.normal(H, 11, dtype=dtype), draw.normal(G, N, 11, dtype=dtype), draw.normal(G, N, 13, dtype=dtype)


def _setting(inputs: tuple, splits: int) -> str:
    q, K, _ = inputs
    return f"H = {len(q)}, G = {len(K)}, N = {K.shape[1]}, {splits} splits, {q.dtype}"


def _call(student: Student, inputs: tuple, splits: int) -> tuple[Tensor, Tensor]:
    return expect.pair(student.call(NAME, *inputs, splits), "Y", "L")


@exercise(NAME)
@points(1)
def check_outputs(student: Student, draw: Draw) -> None:
    """Y holds attention to the keys of each split, with the head of keys that belongs to the head of queries"""
    for H, G in HEADS:
        for N, splits in ((12, 1), (12, 4), (13, 4), (131, 17)):
            inputs = _inputs(draw, H, G, N)
            Y, _ = _call(student, inputs, splits)
            expect.allclose(
                Y, references.split_states(*inputs, splits)[0], "Y", size=4.0, setting=_setting(inputs, splits)
            )
    q, K, V = _inputs(draw, 6, 2, 7)
    V = torch.arange(2.0, dtype=V.dtype)[:, None, None].expand(2, 7, 13).clone()
    Y, _ = _call(student, (q, K, V), 2)
    want = references.split_states(q, K, V, 2)[0]
    expect.allclose(Y, want, "Y", setting="values of head g are all g; 6 heads of queries, 2 of keys")


@exercise(NAME)
@points(1)
def check_log_sum_exps(student: Student, draw: Draw) -> None:
    """L holds the log-sum-exp of each split's scores"""
    for H, G in HEADS:
        for N, splits in ((12, 1), (12, 4), (13, 4), (1, 1)):
            inputs = _inputs(draw, H, G, N)
            _, L = _call(student, inputs, splits)
            logs_are(L, references.split_states(*inputs, splits)[1], _setting(inputs, splits))


@exercise(NAME)
@points(1)
def check_empty_splits(student: Student, draw: Draw) -> None:
    """Splits are ⌈N / n⌉ keys long, and those without keys have zeros and −∞"""
    for N, splits in ((5, 7), (9, 4), (10, 6), (1, 2), (0, 1), (0, 3)):
        inputs = _inputs(draw, 6, 2, N)
        states_are(_call(student, inputs, splits), references.split_states(*inputs, splits), _setting(inputs, splits))


@exercise(NAME)
@points(1)
@promises
def check_large_scores_and_dtype(student: Student, draw: Draw) -> None:
    """Large scores work, the dtype is kept, and no argument is changed"""
    q, K, V = _inputs(draw, 6, 2, 13)
    for sign in (1, -1):
        inputs = (30_000 * q.abs(), sign * K.abs(), V)
        states_are(_call(student, inputs, 4), references.split_states(*inputs, 4), "scores up to ±300,000", 3e5)
    for dtype in (torch.float32, torch.float64):
        inputs = _inputs(draw, 6, 2, 13, dtype)
        got = _call(student, inputs, 3)
        states_are(got, references.split_states(*inputs, 3), _setting(inputs, 3))
        for value, name in zip(got, ("Y", "L"), strict=True):
            expect.dtype(value, dtype, name)
