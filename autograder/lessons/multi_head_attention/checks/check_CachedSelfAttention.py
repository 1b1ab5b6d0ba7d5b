"""CachedSelfAttention(model_width, num_heads)."""

import torch

from autograder.checks import (
    Draw,
    ModulePair,
    Sizes,
    Student,
    alike,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.lessons.multi_head_attention import references

NAME = "CachedSelfAttention"
WHAT = ("Y", "K", "V")
D, H = 33, 3


def _twins(student: Student, draw: Draw, width=D, num_heads=H, dtype=torch.float64):
    return ModulePair(student, NAME, (width, num_heads), references.CachedSelfAttention(width, num_heads), draw, dtype)


def _in_pieces(module, X, pieces):
    """Feed X piece by piece, each with the cache that the call before returned; return the outputs and the last cache."""
    cache, outputs = None, []
    for piece in X.split(pieces, 1):
        value = module(piece) if cache is None else module(piece, cache)
        if not isinstance(value, tuple | list) or len(value) != 2:
            expect.pair(value, "Y", "cache")
        Y, cache = value
        outputs.append(expect.tensor(Y, "Y"))
        expect.shape(outputs[-1], piece.shape, "Y", "(B, N, D), for the new positions only", f"pieces of {pieces}")
    return torch.cat(outputs, 1), cache


@exercise(NAME)
@points(2)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_Q, W_K, W_V and W_O are linear maps from D to D with a bias"""
    has_parameters(student, NAME, (D, H), dict(references.CachedSelfAttention(D, H).named_parameters()))
    X = draw.normal(sizes.B, sizes.N_Q, D)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(4)
def check_without_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a cache it is causal multi-head self-attention, and the new cache holds K and V, split into heads"""
    for B, N, width, num_heads in [
        (1, 2, 2, 1),
        (1, 3, 4, 2),
        (sizes.B, sizes.N_Q, D, H),
        (3, 3, 9, 3),
        (1, 1, D, H),
        (1, 131, 6, 2),
    ]:
        twins = _twins(student, draw, width, num_heads)
        twins.agree(draw.normal(B, N, width), what=WHAT, setting=f"X {(B, N, width)}, H = {num_heads}, no cache")


@exercise(NAME)
@points(3)
def check_with_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """New positions attend to everything in the cache and to the new ones up to themselves"""
    twins = _twins(student, draw)
    for N_past, N in [(2, 1), (1, 2), (sizes.N_K, sizes.N_Q), (sizes.N_Q, sizes.N_K), (sizes.N_Q, 1), (131, 1)]:
        cache = tuple(draw.normal(sizes.B, H, N_past, D // H) for _ in range(2))
        X = draw.normal(sizes.B, N, D)
        twins.agree(X, cache, what=WHAT, setting=f"{N} new positions, {N_past} in the cache")


@exercise(NAME)
@points(3)
def check_piece_by_piece_equals_all_at_once(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Token by token, or in pieces of any length, the outputs are the same as all at once"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, 11, D)
    uses_its_inputs(twins.module, (X,), (X.square(),))
    with torch.no_grad():
        want, (K, V) = twins.reference(X)
    for pieces in (1, [10, 1], [1, 10], [4, 5, 2], 11):
        Y, cache = _in_pieces(twins.module, X, pieces)
        expect.allclose(Y, want, "Y", size=4.0, setting=f"11 positions, in pieces of {pieces}")
        for got, expected, what in zip(expect.pair(cache, "K", "V"), (K, V), ("K", "V"), strict=True):
            expect.allclose(got, expected, what, size=4.0, setting=f"the cache after pieces of {pieces}")


@exercise(NAME)
@points(2)
@promises
def check_the_cache_passed_in_is_not_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Neither X nor the cache passed in is changed, nothing is kept on the module, and all stays on the device of X"""
    twins = _twins(student, draw)
    cache = tuple(draw.normal(sizes.B, H, sizes.N_K, D // H) for _ in range(2))
    X = draw.normal(sizes.B, sizes.N_Q, D)
    uses_its_inputs(twins.module, (X,), (X.square(),))
    others = [(draw.normal(sizes.B, N, D),) for N in (3, 4)]
    no_side_effects(twins, others, X, what=WHAT)
    no_side_effects(twins, [(X, cache)], X, cache, what=WHAT)
    works_where_its_inputs_are(twins.module, X, cache)


@exercise(NAME)
@points(2)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow from Y and from the new cache back to X and to all weights, and from Y to an old cache"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_Q, D)
    twins.gradients_agree(X, draw=draw, names=("X",))
    cache = tuple(draw.normal(sizes.B, H, sizes.N_K, D // H) for _ in range(2))
    answer = twins.module.request(X, cache, cotangents=(torch.ones_like(X),))
    leaf, old_K, old_V = (each.clone().requires_grad_() for each in (X, *cache))
    want = torch.autograd.grad(twins.reference(leaf, (old_K, old_V))[0].sum(), (leaf, old_K, old_V))
    expect.gradients(answer.gradients, want, ("X", "the old K", "the old V"), "with a cache")


@exercise(NAME)
@points(2)
def check_in_float32_and_in_training(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The dtype of X is kept, in the cache too; training mode changes nothing"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_Q, D, dtype=torch.float32)
    cache = tuple(draw.normal(sizes.B, H, 2, D // H, dtype=torch.float32) for _ in range(2))
    Y, (K, V) = twins.agree(X, cache, what=WHAT)
    for value, what in ((Y, "Y"), (K, "K"), (V, "V")):
        expect.dtype(value, torch.float32, what)
    in_training = twins.module.when(training=True)(X, cache)
    alike(in_training, twins.reference(X, cache), WHAT, 4.0, "training mode, with a cache")
