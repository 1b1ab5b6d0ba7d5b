"""Heads: several attentions side by side, each on its own part of the width.

Heads lie as (..., H, N, D_H), with D_H = D // H.
"""

from jaxtyping import Shaped
from torch import Tensor


def split_heads(X: Shaped[Tensor, "... N D"], num_heads: int) -> Shaped[Tensor, "... H N D_H"]:
    """Return X with its width cut into `num_heads` parts: head h holds the columns h·D_H to (h + 1)·D_H − 1.

    It is a view; nothing is copied. Raises ValueError if `num_heads` does not divide D.
    """
    check_heads(X.shape[-1], num_heads)
    return X.unflatten(-1, (num_heads, -1)).transpose(-3, -2)  # (..., N, H, D_H), then (..., H, N, D_H)


def merge_heads(Y: Shaped[Tensor, "... H N D_H"]) -> Shaped[Tensor, "... N D"]:
    """Return the heads side by side in one row per position, the inverse of `split_heads`."""
    return Y.transpose(-3, -2).flatten(-2)  # (..., N, H, D_H), then (..., N, D)


def check_heads(model_width: int, num_heads: int) -> None:
    """Raise ValueError, with the numbers that would work, unless `num_heads` divides `model_width`."""
    if num_heads < 1 or model_width % num_heads:
        divisors = [number for number in range(1, min(model_width, 64) + 1) if model_width % number == 0]
        raise ValueError(
            f"Expected num_heads to divide the model width, got {num_heads} heads for a width of {model_width}. "
            f"Every head gets the same number of columns; {', '.join(map(str, divisors))} would do."
        )
