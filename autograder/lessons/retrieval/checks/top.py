"""The best k of many: values and ids, compared so that equal scores may come in any order."""

from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, expect, inputs


def vectors(draw: Draw, B: int, M: int, D: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Draw queries (B, D) and documents (M, D)."""
    return draw.normal(B, D, dtype=dtype), draw.normal(M, D, dtype=dtype)


def star(D: int) -> Tensor:
    """Return 2D centroids, one in each direction of each axis: of many documents about as many are nearest to each."""
    return torch.cat((torch.eye(D), -torch.eye(D))).double()


def found(value: object, shape: Sequence[int], setting: str) -> tuple[Tensor, Tensor]:
    """Return the student's values and ids, of this shape (B, k)."""
    values, ids = expect.pair(value, "values", "ids")
    expect.shape(values, shape, "values", "(B, k)", setting)
    expect.shape(ids, shape, "ids", "(B, k)", setting)
    inputs.id_tensor(ids, "ids")
    return values, ids


def agree(value: object, want: tuple[Tensor, Tensor], scores: Tensor, setting: str) -> tuple[Tensor, Tensor]:
    """Compare values and ids with the right ones. scores (B, M): those of all documents, in float64.

    Where the right ids are −1 there is no document, and the value is −inf.
    """
    values, ids = found(value, want[0].shape, setting)
    _require_sorted(values, want[0], setting)
    nothing = want[1] < 0
    if not torch.equal(ids < 0, nothing) or not torch.equal(values.isneginf(), nothing):
        _fail(ids, want[1], "The places without a document are not those that hold −1 and −inf.", setting)
    size = float(scores.abs().max()) if scores.numel() else 1.0
    expect.allclose(
        values.masked_fill(nothing, 0.0), want[0].masked_fill(nothing, 0.0), "values", size=4 * size, setting=setting
    )
    if bool((ids >= scores.shape[1]).any()):
        _fail(ids, want[1], f"There are ids beyond the last of {scores.shape[1]} documents.", setting)
    own = scores.gather(1, ids.clamp(min=0)).masked_fill(nothing, 0.0)
    slack = 1e-4 * max(size, 1.0) if values.dtype != torch.float64 else 1e-9 * max(size, 1.0)
    twice = [len({*row}) < len(row) for row in ids.masked_fill(nothing, -1).tolist() if -1 not in row]
    if any(twice) or not torch.allclose(own, want[0].masked_fill(nothing, 0.0).double(), atol=slack, rtol=0):
        _fail(ids, want[1], "The ids are not those of the documents with these values.", setting)
    return values, ids


def _require_sorted(values: Tensor, want: Tensor, setting: str) -> None:
    """Fail and say so if these are the right values in another order."""
    got = values.detach().double()
    if torch.allclose(got, want, atol=1e-6) or not torch.allclose(got.sort(descending=True).values, want, atol=1e-6):
        return
    row = int((got - want).abs().nan_to_num(0.0).amax(dim=1).argmax())
    raise CheckFailure(
        "value",
        "The values are right, and in the wrong order.",
        setting=setting,
        expected=f"row {row}: {expect.numbers(want[row])}",
        yours=f"row {row}: {expect.numbers(got[row])}",
        received=got,
        wanted=want,
        cause="not the largest first",
        hint="The largest comes first, and its id with it. Look at what sorts them last, and in which direction.",
    )


def _fail(ids: Tensor, want: Tensor, message: str, setting: str) -> None:
    row = int((ids != want).any(dim=1).int().argmax())
    raise CheckFailure(
        "value",
        message,
        setting=setting,
        expected=f"row {row}: {want[row].tolist()[:12]}",
        yours=f"row {row}: {ids[row].tolist()[:12]}",
        received=ids.double(),
        wanted=want.double(),
    )
