"""LatentAttention(model_width, num_heads, head_width, rotated_width, latent_width, base=10000.0)."""

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
    uses_its_inputs,
)
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import cached

NAME = "LatentAttention"
PARTS = ("C", "R")
WHAT = ("Y", *PARTS)
#: Width of a row, heads, width of a head, of its turned part, of a latent vector: no size is another, or a product of others.
D, H, D_H, D_R, D_C = 17, 3, 5, 4, 11
BUILD = (D, H, D_H, D_R, D_C)


def _twins(student, draw, build=BUILD, dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.LatentAttention(*build), draw, dtype, weights)


def _draw_cache(draw: Draw, B: int, N: int, dtype=torch.float64) -> tuple[Tensor, Tensor]:
    return draw.normal(B, N, D_C, dtype=dtype), draw.normal(B, N, D_R, dtype=dtype)


@exercise(NAME)
@points(2)
def check_without_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a cache it is causal attention of all heads to keys and values made of the latent vectors and the turned key"""
    has_parameters(student, NAME, BUILD, dict(references.LatentAttention(*BUILD).named_parameters()))
    for build in [(2, 1, 3, 2, 1), (7, 2, 3, 2, 5), BUILD, (D, 5, 3, 6, 7)]:
        for B, N in [(1, 2), (sizes.B, sizes.N_X), (3, 1)]:
            setting = f"X {(B, N, build[0])}, {build[1]} heads of {build[2]} + {build[3]} columns, no cache"
            _twins(student, draw, build).agree(draw.normal(B, N, build[0]), what=WHAT, setting=setting)


@exercise(NAME)
@points(2)
def check_positions(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Queries and keys are turned by their positions, with the base that is given, and later rows are not seen"""
    # Only the turned part counts, and every row has the same query and key before it is turned.
    twins = _twins(student, draw, weights={"W_UK.weight": torch.zeros(H * D_H, D_C, dtype=torch.float64)})
    X = draw.normal(2, 37, D, scale=2.0)
    twins.agree(X, what=WHAT, setting="W_UK is 0, so that only the turned part makes scores")
    _twins(student, draw, (*BUILD, 30.0)).agree(X, what=WHAT, setting="base 30")
    one, other = (cached.call(twins.module, rows, parts=PARTS)[0] for rows in (X, X.flip(-1)))
    expect.depends_on_its_inputs(one, other, "Y")


@exercise(NAME)
@points(2)
def check_with_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """New rows attend to everything in the cache and to the new rows up to themselves, at the positions that follow"""
    twins = _twins(student, draw)
    for N_past, N in [(2, 1), (1, 2), (sizes.N_K, sizes.N_Q), (131, 1)]:
        X, cache = draw.normal(sizes.B, N, D), _draw_cache(draw, sizes.B, N_past)
        twins.agree(X, cache, what=WHAT, setting=f"{N} new rows, {N_past} in the cache")
    X = draw.normal(sizes.B, 11, D)
    cached.agree_in_pieces(twins, X, PARTS)


@exercise(NAME)
@points(1)
def check_numbers_in_the_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The cache holds D_C + D_R numbers for each token, without a copy for any head"""
    for build in [BUILD, (D, 5, 3, 6, 7)]:
        twins = _twins(student, draw, build)
        X = draw.normal(sizes.B, sizes.N_X, D)
        Y, cache = cached.call(twins.module, X, parts=PARTS)
        held, wanted = sum(part.numel() for part in cache), sizes.B * sizes.N_X * (build[3] + build[4])
        setting = f"X {tuple(X.shape)}, {build[1]} heads, D_C = {build[4]}, D_R = {build[3]}"
        cached.size_is(held, wanted, "numbers: B · N_K · (D_C + D_R)", setting)
        expect.depends_on_its_inputs(Y, cached.call(twins.module, X.square(), parts=PARTS)[0], "Y")


@exercise(NAME)
@points(2)
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
    uses_its_inputs(twins.module, (X,), (X.square(),))
