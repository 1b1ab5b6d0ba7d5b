"""Shared parts of the checks of the lesson's modules: sizes, ids with padding, and the comparison with the references."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks import (
    FEW,
    CheckFailure,
    ModulePair,
    expect,
    explain_randomness,
    first_of,
    no_side_effects,
    same_dropout_distribution,
)
from autograder.lessons.mlm_pretraining.references import ORDINARY, PAD

#: vocab_size, model_width, num_heads, num_blocks, max_length. Different primes, but for the heads, which divide the width.
SIZES = (23, 14, 2, 3, 19)
V, D, H, BLOCKS, LONGEST = SIZES
#: Other sizes, the smallest first.
OTHERS = ((7, 4, 1, 1, 5), (7, 4, 2, 1, 5), (13, 6, 3, 2, 11), (11, 11, 1, 2, 11))


def ids_of(draw: Any, B: int, N: int, vocab_size: int = V, padded: bool = True) -> Tensor:
    """Ordinary ids (B, N); with ``padded`` the rows end in padding, each in another number of it, the first in none."""
    ids = ORDINARY + draw.integers(vocab_size - ORDINARY, B, N)
    if padded:
        ends = 2 + draw.integers(N - 2, B) if N > 2 else torch.ones(B, dtype=torch.int64)
        ends[0] = N
        ids[torch.arange(N) >= ends[:, None]] = PAD
    return ids


def other_ids(ids: Tensor) -> Tensor:
    """Return ids in which every ordinary token is replaced by another one."""
    return torch.where(ids < ORDINARY, ids, ORDINARY + (ids - ORDINARY + 1) % (V - ORDINARY))


def segments_of(draw: Any, ids: Tensor) -> Tensor:
    """Segments 0 up to some place of each row and 1 from there on: both, where there are two tokens."""
    return (torch.arange(ids.shape[1]) > draw.integers(max(ids.shape[1] - 1, 1), ids.shape[0], 1)).long()


def describe(ids: Tensor, segments: Tensor | None = None) -> str:
    """Name the shape of the ids, and say whether there are segments and padding."""
    with_segments = "without segments" if segments is None else "with segments"
    with_padding = "with padding" if bool((ids == PAD).any()) else "without padding"
    return f"ids {tuple(ids.shape)}, {with_segments}, {with_padding}"


def real(ids: Tensor, value: Tensor) -> Tensor:
    """Return the rows of a result (B, N, …) that belong to tokens which are no padding; the others do not matter."""
    return value[ids != PAD]


def compare(
    twins: ModulePair, ids: Tensor, segments: Tensor | None = None, what: str = "Y", size: float = 8.0
) -> Tensor:
    """Compare the first result at all tokens that are no padding with the reference's, and return it."""
    with torch.no_grad():
        want = first_of(twins.reference(ids, segments))
    inputs = (ids,) if segments is None else (ids, segments)
    got = first_of(twins.module(*inputs), what)
    expect.shape(got, want.shape, what, "(B, N, …)", describe(ids, segments))
    expect.allclose(real(ids, got), real(ids, want), what, size=size, setting=describe(ids, segments))
    return got


def right_values(make: Callable[[tuple], ModulePair], B: int, draw: Any, what: str = "Y", size: float = 8.0) -> None:
    """Compare modules of several sizes with the references, without padding, and see that tokens see both sides."""
    for build in (*OTHERS, SIZES):
        twins = make(build)
        for rows, N in ((1, 2), (B, 5)):
            ids = ids_of(draw, rows, N, build[0], padded=False)
            with explain_randomness(twins.module, None, ids):
                compare(twins, ids, what=what, size=size)
    sees_both_sides(twins.module, ids_of(draw, 3, 7, padded=False), what)


def same_again(
    twins: ModulePair, single: ModulePair, draw: Any, B: int, N: int, names: Sequence[str], size: float = 8.0
) -> None:
    """Compare gradients; see that earlier calls leave no trace and ids stay; compare in float32 and at full length."""
    ids = ids_of(draw, B, N, padded=False)
    segments = segments_of(draw, ids)
    twins.gradients_agree(ids, segments, draw=draw, outputs=1, names=())
    no_side_effects(twins, [(ids[:1, :2],), (ids.flip(0), segments)], ids, segments, what=names)
    expect.dtype(compare(single, ids, segments, names[0], 2 * size), torch.float32, names[0])
    compare(twins, torch.arange(LONGEST)[None] % (V - 1) + 1, what=names[0], size=size)


def drops(student: Any, name: str, reference: Any, draw: Any, names: Sequence[str]) -> None:
    """Fail unless results in training mode vary as those of a reference, made with the same arguments and dropout, do."""
    build = (*SIZES, 0.25)
    hint = "`dropout` is an argument of the embeddings and of every block. Pass it on to both."
    pair = ModulePair(student, name, build, reference(*build), draw)
    setting = "training mode, dropout=0.25"
    same_dropout_distribution(
        pair, ids_of(draw, 1, 4, padded=False), what=names, draw=draw, setting=setting, hint=hint, runs=FEW
    )


def sees_both_sides(module: Any, ids: Tensor, what: str) -> None:
    """Fail unless what comes out for a token depends on the tokens before it and on those after it."""
    N = ids.shape[1]
    for place, side in ((N - 1, "after"), (0, "before")):
        other = ids.clone()
        other[:, place] = other_ids(other[:, place])
        rest = slice(0, N - 1) if side == "after" else slice(1, N)
        one, two = (first_of(module(x), what)[:, rest] for x in (ids, other))
        if torch.allclose(one, two, atol=1e-7):
            raise CheckFailure(
                "sees",
                f"A token does not see those {side} it.",
                setting=describe(ids),
                received=side,
                cause="causal mask left on" if side == "after" else "tokens do not see each other",
                hint="Every token of BERT sees the whole sequence, on both sides; from both the gaps are filled. The "
                "only mask is the one that hides padding.",
            )


def padding_changes_nothing(module: Any, ids: Tensor, segments: Tensor | None, what: str) -> None:
    """Fail unless a row has the same result with more padding after it, and alone as beside longer rows."""
    wider = torch.nn.functional.pad(ids, (0, 2), value=PAD)
    more = None if segments is None else torch.nn.functional.pad(segments, (0, 2))
    for given, name in (((ids, segments), "alone"), ((wider, more), "with two more columns of padding")):
        inputs = given if given[1] is not None else given[:1]
        whole = first_of(module(*inputs), what)
        expect.shape(whole, (*inputs[0].shape, whole.shape[-1]), what, "(B, N, …)", f"{describe(inputs[0])}, {name}")
        got = whole[:, : ids.shape[1]]
        for b, row in enumerate(ids):
            n = int((row != PAD).sum())
            alone = (ids[b : b + 1, :n],) if segments is None else (ids[b : b + 1, :n], segments[b : b + 1, :n])
            want = first_of(module(*alone), what)[0]
            try:
                expect.allclose(got[b, :n], want.double(), what, size=8.0, setting=f"row {b}, {name}")
            except CheckFailure as failure:
                failure.message = "Padding after a row changes the results for its tokens."
                failure.kind, failure.received = "padding", "padding"
                failure.cause = "padding changes the result"
                failure.hint = (
                    "What a token sees must be its sentence and nothing else: allowed is (ids != PAD), with an axis for the "
                    "heads and one for the queries, (B, 1, 1, N)."
                )
                raise
