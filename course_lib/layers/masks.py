"""Attention masks. A mask is a bool tensor called `allowed`; True means "may attend".

This is the convention of `torch.nn.functional.scaled_dot_product_attention`; that of `nn.MultiheadAttention` is the opposite.
"""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor


def causal_mask(N_Q: int, N_K: int | None = None, device: torch.device | str | None = None) -> Bool[Tensor, "N_Q N_K"]:
    """Return the mask that lets every query attend to its own position and all earlier ones; by default, N_K = N_Q.

    The last query is aligned with the last key, so query i may attend to key j if j ≤ i + N_K − N_Q. With more keys than queries,
    the first N_K − N_Q keys are earlier positions (of a cache), to which every query may attend.
    """
    N_K = N_Q if N_K is None else N_K
    return torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q)


def padding_mask(lengths: Integer[Tensor, " B"], N_K: int) -> Bool[Tensor, "B 1 1 N_K"]:
    """Return the mask that hides the padding after the first `lengths[b]` keys of example b.

    The two axes of length 1 broadcast over heads and queries. Raises TypeError if `lengths` are not whole numbers and
    ValueError if they are not one number for each example.
    """
    check_lengths(lengths)
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]


def join_causal(
    allowed: Bool[Tensor, "..."] | None, shape: tuple[int, ...], device: torch.device
) -> Bool[Tensor, "..."]:
    """Return the causal mask for weights of `shape` (..., N_Q, N_K), combined with `allowed`.

    Raises TypeError or ValueError, as `check_mask` does, if `allowed` does not fit.
    """
    causal = causal_mask(shape[-2], shape[-1], device)
    if allowed is None:
        return causal
    check_mask(allowed, shape)
    return allowed & causal


def check_lengths(lengths: Tensor) -> None:
    """Raise TypeError or ValueError, with advice, unless `lengths` (B,) holds whole numbers."""
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise TypeError(
            f"Expected lengths to hold whole numbers (such as torch.int64), got {lengths.dtype}. "
            "The length of an example is how many of its tokens are no padding, as in (ids != pad).sum(dim=1)."
        )
    if lengths.dim() != 1:
        raise ValueError(
            f"Expected lengths of shape (B,), one number for each example, got {tuple(lengths.shape)}. "
            "For a single example, pass torch.tensor([length])."
        )


def check_is_mask(allowed: Tensor) -> None:
    """Raise TypeError, with advice, unless `allowed` is a bool tensor."""
    if allowed.dtype != torch.bool:
        raise TypeError(
            f"Expected allowed to be a bool tensor, in which True means 'may attend', got {allowed.dtype}. "
            "A float mask of 0 and -inf, to be added to the similarities, becomes one by mask == 0; "
            "one of 1 (may attend) and 0 by mask.bool()."
        )


def check_mask(allowed: Tensor, shape: tuple[int, ...]) -> None:
    """Raise TypeError or ValueError, with advice, unless `allowed` is a bool tensor that broadcasts to `shape`.

    `shape` is that of the weights, (..., N_Q, N_K).
    """
    check_is_mask(allowed)
    pairs = zip(reversed(allowed.shape), reversed(shape), strict=False)
    if allowed.dim() > len(shape) or any(length not in (1, wanted) for length, wanted in pairs):
        raise ValueError(
            f"Expected allowed to broadcast to the weights' shape (..., N_Q, N_K) = {tuple(shape)}, got "
            f"{tuple(allowed.shape)}. "
            "Heads lie between batch and queries: a mask for each example, (B, N_Q, N_K), needs allowed[:, None]; "
            "one that is the same for all queries, (B, N_K), needs allowed[:, None, None]."
        )
