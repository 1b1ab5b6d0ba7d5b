"""A module that takes rows and a cache of two tensors, and returns its result and the new cache."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, ModulePair, expect, no_side_effects, works_where_its_inputs_are

Cache = tuple[Tensor, Tensor]


def call(module: Any, X: Tensor, cache: Cache | None = None, parts: Sequence[str] = ("K", "V")) -> tuple[Tensor, Cache]:
    """Return the student's Y and cache, whose ``parts`` are tensors, or fail."""
    value = module(X) if cache is None else module(X, cache)
    if not isinstance(value, tuple | list) or len(value) != 2:
        expect.pair(value, "Y", "cache")
    return expect.component(value[0], "Y"), expect.pair(value[1], *parts)


def agree_in_pieces(twins: ModulePair, X: Tensor, parts: Sequence[str] = ("K", "V")) -> None:
    """Fail unless 11 rows X (B, 11, D) in pieces, each with the cache of those before, give the result of all at once."""
    with torch.no_grad():
        want, right = twins.reference(X)
    for pieces in (1, [10, 1], [4, 5, 2]):
        kept: Cache | None = None
        outputs = []
        for piece in X.split(pieces, 1):
            Y, kept = call(twins.module, piece, kept, parts)
            outputs.append(Y)
        setting = f"11 rows in pieces of {pieces}"
        expect.allclose(torch.cat(outputs, 1), want, "Y", size=4.0, setting=setting)
        for got, expected, what in zip(kept or (), right, parts, strict=True):
            expect.allclose(got, expected, what, size=4.0, setting=setting)


def size_is(held: int, wanted: int, unit: str, setting: str) -> None:
    """Fail if a cache holds another number of bytes or numbers. ``unit``: "bytes: 2 · B …", the word and how they are counted."""
    if held != wanted:
        raise CheckFailure(
            "value",
            "The cache has the wrong size.",
            setting=setting,
            expected=f"{wanted} {unit}",
            yours=f"{held} {unit.partition(':')[0]}",
            received=torch.tensor([float(held)]),
            wanted=torch.tensor([float(wanted)]),
        )


def bytes_of_groups(cache: Cache, B: int, G: int, N: int, width: int, setting: str) -> None:
    """Fail unless a cache in float32 holds the keys and values of G heads of this width for B texts of N tokens."""
    held = sum(part.numel() * part.element_size() for part in cache)
    size_is(held, 2 * B * G * N * width * 4, "bytes: 2 · B · G · N_K · D_H numbers of 4 bytes", setting)


def gradients_agree_with_a_cache(twins: ModulePair, X: Tensor, cache: Cache) -> None:
    """Fail unless the gradient of the sum of Y reaches X with the right values."""
    answer = twins.module.request(X, cache, cotangents=(torch.ones_like(X),))
    leaf = X.clone().requires_grad_()
    want = torch.autograd.grad(twins.reference(leaf, cache)[0].sum(), leaf)
    expect.gradients(answer.gradients[:1], want, ("X",), "with a cache")


def nothing_is_kept_or_changed(twins: ModulePair, X: Tensor, cache: Cache, what: Sequence[str]) -> None:
    """Fail if X or the cache is changed, anything is kept on the module, or dtype or device do not stay. X is float32."""
    Y, parts = twins.agree(X, cache, what=what)
    for value, name in zip((Y, *parts), what, strict=True):
        expect.dtype(value, torch.float32, name)
    no_side_effects(twins, [(X[:, :3],), (X[:1],)], X, what=what)
    no_side_effects(twins, [(X, cache)], X, cache, what=what)
    works_where_its_inputs_are(twins.module, X)
