"""Whether dropout drops the right share of numbers, and each number independently."""

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from autograder.runtime.failure import CheckFailure


def slack(p: float, count: int) -> float:
    """Return how far the share of ``count`` independent numbers may lie from ``p``: farther in one of ten billion runs."""
    return 6.5 * math.sqrt(p * (1 - p) / count)


def agreements(dropped: Tensor) -> list[float]:
    """Return, for each axis with neighbours, the share of neighbours that are dropped or kept together.

    Independent numbers agree in p² + (1 − p)² of all pairs, which is 58 % for p = 0.3.
    """
    axes = [axis for axis in range(dropped.dim()) if dropped.shape[axis] > 1]
    return [(dropped == dropped.roll(1, axis)).double().mean().item() for axis in axes]


def one_by_one(dropped: Tensor, message: str, hint: str, told: Mapping[str, Any]) -> None:
    """Fail if numbers of different rows, columns or batch elements are always dropped together."""
    shares = agreements(dropped)
    if max(shares) > 0.9:
        axis = shares.index(max(shares))
        raise CheckFailure(
            "dropout",
            message,
            **told,
            expected="each number dropped or kept on its own",
            yours=f"neighbours along axis {axis} dropped together in {max(shares):.0%} of the cases",
            cause="not dropped one by one",
            hint=hint,
        )


def share_is(dropped: Tensor, p: float, message: str, hint: str, told: Mapping[str, Any]) -> None:
    """Fail if the share of dropped numbers differs from ``p`` by more than chance."""
    share = dropped.double().mean().item()
    if abs(share - p) > slack(p, dropped.numel()):
        raise CheckFailure(
            "dropout",
            message,
            **told,
            expected=f"{p}",
            yours=f"{share:.3f}",
            cause="wrong probability of dropout",
            hint=hint,
        )
