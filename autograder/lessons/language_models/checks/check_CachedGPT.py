"""CachedGPT(config)."""

import itertools
from typing import Any

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Sizes,
    Student,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    parameter_gradients,
    points,
    promises,
    raises_value_error,
    tuple_of,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.checks import pair as two
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.sizes import (
    BLOCKS,
    LONGEST,
    D,
    H,
    V,
    config,
    describe_changes,
    ids_of,
    made,
    twins,
)

NAME = "CachedGPT"
LOGITS = "The logits"


def _results(value, N_past, size, blocks=BLOCKS, setting=""):
    """Return (logits, cache) of the student's, of the right shapes; ``blocks`` None leaves the cache alone."""
    (B, N), (logits, cache) = size, two(value, "logits", "the cache")
    logits = expect.tensor(logits, LOGITS)
    expect.shape(logits, (B, N, V), LOGITS, "(B, N, V), for the new tokens only", setting)
    for number, pair in enumerate(tuple_of(cache, blocks, "the cache, a pair (K, V) for each block")):
        for part, what in zip(expect.pair(pair, "K", "V"), "KV", strict=True):
            heads = part.shape[1] if part.dim() == 4 and blocks != BLOCKS else H
            shape = (B, heads, N_past + N, D // heads)
            expect.shape(part, shape, f"{what} of block {number}", "(B, H, N, D_H), of all tokens so far", setting)
    return logits, cache


def _agree(pair, ids, cache=None, setting="", blocks=BLOCKS):
    """Compare logits and cache with the reference, and return the student's."""
    past = 0 if cache is None else cache[0][0].shape[-2]
    setting = f"ids {tuple(ids.shape)}, {past} tokens in the cache" + (f", {setting}" if setting else "")
    with torch.no_grad():
        logits, kept = pair.reference(ids, cache)
    value = pair.module(ids) if cache is None else pair.module(ids, cache)
    with explain_randomness(pair.module, value, *(ids,) if cache is None else (ids, cache)):
        got, mine = _results(value, past, ids.shape, blocks, setting)
        for number, (own, want) in enumerate(zip(mine, kept, strict=True)):
            for part, right, what in zip(own, want, "KV", strict=True):
                expect.allclose(part, right, f"{what} of block {number}", size=20.0, setting=setting)
        expect.allclose(got, logits, LOGITS, size=20.0, setting=setting)
    return got, mine


def _cache(draw: Draw, B, N, blocks=BLOCKS, heads=H):
    return [tuple(draw.normal(B, heads, N, D // heads) for _ in range(2)) for _ in range(blocks)]


@exercise(NAME)
@points(3)
def check_without_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without a cache it gives the logits of GPT, whose parameters it has, and the keys and values of every block"""
    has_parameters(student, NAME, (made(),), dict(references.CachedGPT(config()).named_parameters()))
    for B, N in ((1, 1), (1, 2), (sizes.B, sizes.N_Q), (3, 3), (1, LONGEST)):
        _agree(twins(student, NAME, draw), ids_of(draw, B, N))
    for changes in (
        {"tied": False},
        {"activation": "relu"},
        {"decoder_blocks": 3},
        {"decoder_blocks": 1, "num_heads": 5},
    ):
        pair = twins(student, NAME, draw, **changes)
        _agree(pair, ids_of(draw, 2, 7), None, describe_changes(changes), changes.get("decoder_blocks", BLOCKS))


@exercise(NAME)
@points(3)
def check_with_a_cache(student: Student, sizes: Sizes, draw: Draw) -> None:
    """New tokens stand behind those of the cache, and attend to all of them and to the new ones up to themselves"""
    pair = twins(student, NAME, draw)
    for B, N_past, N in ((1, 1, 1), (1, 2, 1), (1, 1, 2), (sizes.B, 5, 7), (3, 7, 1), (2, LONGEST - 3, 3)):
        _agree(pair, ids_of(draw, B, N), _cache(draw, B, N_past))


@exercise(NAME)
@points(3)
def check_piece_by_piece_equals_all_at_once(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Token by token, or in pieces of any length, the logits are those of all at once"""
    pair = twins(student, NAME, draw)
    ids = ids_of(draw, sizes.B, 11)
    uses_its_inputs(pair.module, (ids,), ((ids + 1) % V,))
    with torch.no_grad():
        want, kept = pair.reference(ids)
    for pieces in (1, [10, 1], [1, 10], [4, 5, 2], 11):
        cache: Any = None
        found, past = [], 0
        setting = f"11 tokens, in pieces of {pieces}"
        for piece in ids.split(pieces, 1):
            value = pair.module(piece) if cache is None else pair.module(piece, cache)
            logits, cache = _results(value, past, piece.shape, setting=setting)
            found.append(logits)
            past += piece.shape[1]
        expect.allclose(torch.cat(found, 1), want, LOGITS, size=20.0, setting=setting)
        for number, (own, right) in enumerate(zip(cache, kept, strict=True)):
            expect.allclose(own[1], right[1], f"V of block {number}", size=20.0, setting=setting)


@exercise(NAME)
@points(2)
@promises
def check_the_cache_passed_in_is_not_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Neither ids nor the cache passed in is changed, nothing is kept on the module, and all stays on the device of ids"""
    pair = twins(student, NAME, draw)
    ids, cache = ids_of(draw, sizes.B, sizes.N_Q), _cache(draw, sizes.B, 7)
    uses_its_inputs(pair.module, (ids,), ((ids + 1) % V,))
    want = [each.detach() for each in (pair.reference(ids)[0], pair.reference(ids, cache)[0])]
    others = [(ids_of(draw, 3, 4),), (ids, cache), (ids.flip(0),)]
    for given, right in (((ids,), want[0]), ((ids, cache), want[1])):
        logits, _ = two(pair.module.when(before=others)(*given), "logits", "the cache")
        try:
            expect.allclose(
                expect.tensor(logits, LOGITS), right, LOGITS, size=20.0, setting="after calls with other tokens"
            )
        except CheckFailure as failure:
            alone, _ = two(pair.module(*given), "logits", "the cache")
            if failure.kind == "value" and torch.allclose(expect.tensor(alone, LOGITS), right, atol=1e-6):
                failure.kind, failure.cause = "memory", "remembers earlier calls"
                failure.hint = (
                    "Something of an earlier call is kept on the module. All that is known of the past is the cache."
                )
            raise
    works_where_its_inputs_are(pair.module, ids, cache)


@exercise(NAME)
@points(1)
def check_float32_and_length(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In float32 logits and cache are float32; gradients flow from both; more than max_length tokens raise a ValueError"""
    pair, ids = twins(student, NAME, draw, torch.float32), ids_of(draw, sizes.B, sizes.N_Q)
    cache = [tuple(part.float() for part in kept) for kept in _cache(draw, sizes.B, 3)]
    uses_its_inputs(pair.module, (ids,), ((ids + 1) % V,))
    # Only the dtype: what is wrong in float64 is wrong here too, and rounds differently in every way to write it.
    logits, kept = _results(pair.module(ids, cache), 3, ids.shape, setting="float32, 3 tokens in the cache")
    for value, what in ((logits, LOGITS), (kept[0][0], "K"), (kept[-1][1], "V")):
        expect.dtype(value, torch.float32, what)
    _gradients_flow(student, draw, ids)
    hint = "How many tokens are there in all, with those in the cache? A slice of the positions that is too short is no error."
    for N, past in ((LONGEST + 1, 0), (1, LONGEST), (3, LONGEST - 1)):
        given = (
            ids_of(draw, 2, N),
            *([] if not past else [[tuple(p.float() for p in k) for k in _cache(draw, 2, past)]]),
        )
        what = f"{N} tokens after {past}, with max_length = {LONGEST},"
        raises_value_error(what, hint, pair.module, *given, sentence=True)


def _gradients_flow(student: Student, draw: Draw, ids: torch.Tensor) -> None:
    """Compare the gradients of the logits and of the new cache at the old cache, and at what makes keys and values."""
    pair, cache = twins(student, NAME, draw), _cache(draw, len(ids), 2)
    try:
        _agree(pair, ids, cache)
    except CheckFailure:
        return  # wrong values have wrong gradients, and the check of the values has its points
    leaves = [tuple(part.clone().requires_grad_() for part in kept) for kept in cache]
    logits, kept = pair.reference(ids, leaves)
    results = (logits, *itertools.chain(*kept))
    cotangents = tuple(draw.normal(*result.shape) for result in results)
    weights = {name: one for name, one in pair.reference.named_parameters() if ".W_K." in name or ".W_V." in name}
    total = sum((result * each).sum() for result, each in zip(results, cotangents, strict=True))
    want = torch.autograd.grad(total, [*itertools.chain(*leaves), *weights.values()])
    answer = pair.module.request(ids, cache, cotangents=cotangents)
    if answer.breach is not None:
        return  # a cache that was written into has lost its gradients, and the check for that has its points
    received = [*answer.gradients, *parameter_gradients(answer, weights)]
    names = [f"{part} of block {number}" for number in range(BLOCKS) for part in "KV"]
    expect.gradients(received, want, (*names, *weights), "2 tokens in the cache")
