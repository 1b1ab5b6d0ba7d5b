"""Comparison of log-sum-exps, which may be −∞, and of outputs of rows without a key."""

import math

import torch
from torch import Tensor

from autograder.checks import CheckFailure, expect


def logs_are(L: Tensor, want: Tensor, setting: str) -> None:
    """Fail unless L equals the log-sum-exps: −∞ where there is no key, and finite elsewhere."""
    expect.shape(L, want.shape, "L", "one number for each row", setting)
    empty = want == -math.inf
    if not bool((L[empty] == -math.inf).all()):
        near = torch.allclose(L[~empty].double(), want[~empty].double(), rtol=1e-4, atol=1e-4)
        finite = near and bool(L[empty].isfinite().any())  # otherwise L is another number everywhere
        raise CheckFailure(
            "value",
            "L of a row without a key is wrong.",
            setting=setting,
            expected="-inf, the logarithm of an empty sum",
            yours=str(L[empty].flatten()[:4].tolist()),
            received=torch.where(empty, L, 0.0),
            wanted=torch.where(empty, want, 0.0),
            cause="a finite L where there is no key" if finite else "",
            hint="The sum over no keys is 0, and its logarithm −∞. Look at what keeps L finite there: a small number that is "
            "added before the logarithm, a clamp, or `nan_to_num`."
            if finite
            else "",
        )
    size = float(want[~empty].abs().max()) if bool((~empty).any()) else 1.0
    expect.allclose(
        torch.where(empty, 0.0, L), torch.where(empty, 0.0, want), "L", size=max(4.0, size), setting=setting
    )


def states_are(got: tuple[Tensor, Tensor], want: tuple[Tensor, Tensor], setting: str, size: float = 4.0) -> None:
    """Fail unless Y and L are right."""
    expect.allclose(got[0], want[0], "Y", size=size, setting=setting)
    logs_are(got[1], want[1], setting)
