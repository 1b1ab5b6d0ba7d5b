"""GroupedQueryAttention(model_width, num_heads, num_groups)."""

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    points,
    promises,
    raises_value_error,
    uses_its_inputs,
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import cached

NAME = "GroupedQueryAttention"
WHAT = ("Y", "K", "V")
#: Heads of width 5 in 2 groups of 3: no size is another, or a power of another.
D, H, G = 30, 6, 2


def _twins(student, draw, build=(D, H, G), dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.GroupedQueryAttention(*build), draw, dtype, weights)


def _draw_cache(draw: Draw, B: int, N: int, dtype=torch.float64) -> tuple[Tensor, Tensor]:
    return draw.normal(B, G, N, D // H, dtype=dtype), draw.normal(B, G, N, D // H, dtype=dtype)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_K and W_V map to the width of all groups, W_Q and W_O to that of all heads, without a bias"""
    for build in [(D, H, G), (D, H, H), (D, H, 1), (21, 3, 1)]:
        has_parameters(student, NAME, build, dict(references.GroupedQueryAttention(*build).named_parameters()))
    X = draw.normal(sizes.B, sizes.N_X, D)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(2)
def check_without_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a cache it is causal self-attention in which neighbouring query heads share keys and values"""
    for build in [(2, 1, 1), (4, 2, 1), (D, H, G), (D, H, 3), (D, H, H), (D, H, 1)]:
        for B, N in [(1, 2), (sizes.B, sizes.N_X), (3, 1)]:
            setting = f"X {(B, N, build[0])}, {build[1]} heads in {build[2]} groups, no cache"
            _twins(student, draw, build).agree(draw.normal(B, N, build[0]), what=WHAT, setting=setting)


@exercise(NAME)
@points(1)
def check_which_head_reads_which(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Query head h reads the values of head h // (H / G)"""
    width = D // H
    for groups in (2, 3):
        # Each number of value head g is g + 1, for every row with a first number of 1; W_O changes nothing.
        marks = torch.arange(1.0, groups + 1, dtype=torch.float64).repeat_interleave(width)
        W_V = torch.zeros(groups * width, D, dtype=torch.float64)
        W_V[:, 0] = marks
        X = draw.normal(sizes.B, sizes.N_X, D)
        X[..., 0] = 1
        weights = {"W_V.weight": W_V, "W_O.weight": torch.eye(D, dtype=torch.float64)}
        Y, _ = cached.call(_twins(student, draw, (D, H, groups), weights=weights).module, X)
        want = torch.tensor([float(head * groups // H + 1) for head in range(H)], dtype=torch.float64)
        expect.shape(Y, X.shape, "Y", "(B, N, D)")
        read = Y[0, -1].view(H, width)[:, 0]
        setting = f"{H} heads in {groups} groups, every value of group g is g + 1"
        expect.allclose(read, want, "What the heads read", setting=setting)
        expect.allclose(Y, want.repeat_interleave(width).expand_as(Y), "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(2)
def check_with_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """New rows attend to everything in the cache and to the new rows up to themselves"""
    twins = _twins(student, draw)
    for N_past, N in [(2, 1), (1, 2), (sizes.N_K, sizes.N_Q), (sizes.N_Q, 1), (131, 1)]:
        X, cache = draw.normal(sizes.B, N, D), _draw_cache(draw, sizes.B, N_past)
        twins.agree(X, cache, what=WHAT, setting=f"{N} new rows, {N_past} in the cache")
    X = draw.normal(sizes.B, 11, D)
    cached.agree_in_pieces(twins, X)


@exercise(NAME)
@points(1)
def check_bytes_of_the_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The cache holds the heads of the groups, without copies for the query heads"""
    for build in [(D, H, G), (D, H, 1), (D, H, H)]:
        twins = _twins(student, draw, build, dtype=torch.float32)
        X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
        Y, cache = cached.call(twins.module, X)
        setting = f"X {tuple(X.shape)}, {H} heads in {build[2]} groups, float32"
        cached.bytes_of_groups(cache, sizes.B, build[2], sizes.N_X, D // H, setting)
        expect.depends_on_its_inputs(Y, cached.call(twins.module, X.square())[0], "Y")


@exercise(NAME)
@points(1)
def check_refuses_what_does_not_divide(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It runs with every divisor of the heads, and a number of groups that does not divide them raises ValueError"""
    X = draw.normal(1, 3, D)
    uses_its_inputs(_twins(student, draw, (D, H, 3)).module, (X,), (X.square(),))
    for build in [(D, H, 4), (D, 4, 2)]:
        hint = "Both divisions must leave no rest."
        raises_value_error(
            f"A width of {build[0]}, {build[1]} heads, {build[2]} groups", hint, student.build(NAME, *build), X
        )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all weights, with a cache too"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, D)
    twins.gradients_agree(X, draw=draw, names=("X",))
    cache = _draw_cache(draw, sizes.B, 3)
    cached.gradients_agree_with_a_cache(twins, X, cache)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_kept_or_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Neither X nor the cache is changed, nothing is kept on the module, dtype and device are kept"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
    cache = _draw_cache(draw, sizes.B, 2, torch.float32)
    cached.nothing_is_kept_or_changed(twins, X, cache, WHAT)
