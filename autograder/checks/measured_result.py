"""The result of a call that was measured: what is fast or small only because it is wrong must not pass."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks import expect, plain

#: Numbers that are nearer to each other than this part of the largest may change places by rounding.
_TIED = 1e-4


def same_result(got: Any, want: Any, setting: str) -> None:
    """Compare the result of a measured call. Numbers have to agree up to rounding, ids and plain data exactly.

    Of a pair of numbers and their ids, as torch.topk returns it, ids may differ where numbers are equal up to rounding.
    """
    if isinstance(want, tuple) and len(want) == 2 and all(isinstance(part, Tensor) for part in want):
        _same_best(expect.pair(got, "values", "ids"), want, setting)
    elif not isinstance(want, Tensor):
        plain.equal(got, want, "The result", setting)
    elif want.is_floating_point():
        expect.close(expect.tensor(got, "Y"), want, "Y", size=4.0, setting=setting)
    else:
        plain.equal(expect.tensor(got, "Y").tolist(), want.tolist(), "Y", setting)


def _same_best(got: Sequence[Tensor], want: Sequence[Tensor], setting: str) -> None:
    (values, ids), (right, own) = got, want
    size = float(right.abs().max()) if right.numel() else 1.0
    expect.close(values, right, "values", size=4 * size, setting=setting)
    expect.shape(ids, own.shape, "ids", "as expected", setting)
    near = right.diff(dim=-1).abs() <= _TIED * size
    edge = torch.ones_like(right[..., :1], dtype=torch.bool)  # the one behind the last is not there to be compared with
    tied = torch.cat((near, edge), dim=-1) | torch.cat((~edge, near), dim=-1)
    plain.equal(torch.where(tied, own, ids).tolist(), own.tolist(), "ids", setting)
