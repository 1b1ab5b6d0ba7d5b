"""ModernBlock(width, num_heads, num_groups, hidden_width, base=10000.0, eps=1e-6)."""

from typing import Any

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
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import cached

NAME = "ModernBlock"
WHAT = ("Y", "K", "V")
#: Heads of width 4 in 2 groups of 3, and a large eps, so that nothing can be in another's place unnoticed.
D, H, G, HIDDEN, BASE, EPS = 24, 6, 2, 14, 50.0, 0.1
BUILD = (D, H, G, HIDDEN, BASE, EPS)


def _twins(student: Student, draw: Draw, build: tuple[Any, ...] = BUILD, dtype: torch.dtype = torch.float64):
    reference = references.ModernBlock(*build)
    weights = {name: 1 + draw.normal(int(build[0]), scale=0.4, dtype=dtype) for name in ("gamma_1", "gamma_2")}
    return ModulePair(student, NAME, build, reference, draw, dtype, weights)


def _setting(X: Tensor, build: tuple[float, ...], past: int = 0) -> str:
    cache = f"{past} rows in the cache" if past else "no cache"
    return f"X {tuple(X.shape)}, {build[1]} heads in {build[2]} groups, base {build[4]:g}, eps {build[5]:g}, {cache}"


@exercise(NAME)
@points(2)
def check_without_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a cache: norm, causal attention with turned queries and keys, and norm, gated layer, each added to its input"""
    has_parameters(student, NAME, BUILD, dict(references.ModernBlock(*BUILD).named_parameters()))
    for build in [(4, 2, 1, 3, BASE, EPS), BUILD, (D, H, H, HIDDEN, BASE, EPS), (D, H, 1, HIDDEN, BASE, EPS)]:
        for B, N in [(1, 1), (sizes.B, sizes.N_X), (1, 7)]:
            X = draw.normal(B, N, build[0])
            _twins(student, draw, build).agree(X, what=WHAT, setting=_setting(X, build))


@exercise(NAME)
@points(2)
def check_base_and_eps(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The angles follow the base, and both norms the eps, with which the block was made"""
    X = draw.normal(1, 11, D, scale=0.3)
    for base, eps in [(10000.0, 1e-6), (3.0, 1e-6), (10000.0, 0.5), (100000.0, 1e-5)]:
        build = (D, H, G, HIDDEN, base, eps)
        _twins(student, draw, build).agree(X, what=WHAT, setting=_setting(X, build))


@exercise(NAME)
@points(2)
def check_with_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With a cache the new rows follow the old ones: their positions go on, and in pieces the result is the same"""
    twins = _twins(student, draw)
    for past, N in [(2, 1), (1, 2), (sizes.N_K, sizes.N_Q), (131, 1)]:
        X, cache = draw.normal(sizes.B, N, D), tuple(draw.normal(sizes.B, G, past, D // H) for _ in range(2))
        twins.agree(X, cache, what=WHAT, setting=_setting(X, BUILD, past))
    X = draw.normal(sizes.B, 11, D)
    cached.agree_in_pieces(twins, X)


@exercise(NAME)
@points(1)
def check_allowed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A mask that is passed takes the place of the causal one, with a cache too"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, 7, D)
    for allowed, what in [
        (torch.ones(7, 7, dtype=torch.bool).tril().triu(-2), "a window of 3"),
        (torch.eye(7, dtype=torch.bool), "only the row itself"),
        (torch.ones(7, 7, dtype=torch.bool), "everything"),
    ]:
        twins.agree(X, None, allowed, what=WHAT, setting=f"X {tuple(X.shape)}, allowed: {what}")
    cache = tuple(draw.normal(sizes.B, G, 3, D // H) for _ in range(2))
    window = torch.ones(7, 10, dtype=torch.bool).tril(3).triu(2)
    twins.agree(X, cache, window, what=WHAT, setting=f"X {tuple(X.shape)}, 3 rows in the cache, allowed: a window of 2")


@exercise(NAME)
@points(1)
def check_bytes_of_the_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The cache holds the heads of the groups, without copies for the query heads"""
    for groups in (G, 1, H):
        twins = _twins(student, draw, (D, H, groups, HIDDEN, BASE, EPS), dtype=torch.float32)
        X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
        Y, cache = cached.call(twins.module, X)
        setting = f"X {tuple(X.shape)}, {H} heads in {groups} groups, float32"
        cached.bytes_of_groups(cache, sizes.B, groups, sizes.N_X, D // H, setting)
        expect.depends_on_its_inputs(Y, cached.call(twins.module, X.square())[0], "Y")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all weights"""
    twins = _twins(student, draw)
    twins.gradients_agree(draw.normal(sizes.B, sizes.N_X, D), draw=draw, names=("X",))


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_kept_or_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Neither X nor the cache is changed, nothing is kept on the module, dtype and device are kept"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, D, dtype=torch.float32)
    K, V = (draw.normal(sizes.B, G, 2, D // H, dtype=torch.float32) for _ in range(2))
    cached.nothing_is_kept_or_changed(twins, X, (K, V), WHAT)
