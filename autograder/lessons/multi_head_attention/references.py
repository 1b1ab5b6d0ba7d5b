"""Right versions of the exercises of 02-multi-head-attention, and of the parts that the lesson provides."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.attention.references import causal_mask, scaled_dot_product_attention


def attention_weights(Q: Tensor, K: Tensor, allowed: Tensor | None = None) -> Tensor:
    """Return softmax(Q Kᵀ / √D_Q) over the keys; a query that may attend to nothing gets zeros."""
    return scaled_dot_product_attention(Q, K, K, allowed)[1]


def split_heads(X: Tensor, num_heads: int) -> Tensor:
    """Return (…, H, N, D_H) from X (…, N, D): head h holds the columns h·D_H to (h + 1)·D_H − 1."""
    if X.shape[-1] % num_heads:
        raise ValueError(f"num_heads should divide the width {X.shape[-1]}, but is {num_heads}.")
    return torch.stack(X.chunk(num_heads, -1), -3)


def merge_heads(Y: Tensor) -> Tensor:
    """Return (…, N, D) from Y (…, H, N, D_H)."""
    return torch.cat(Y.unbind(-3), -1)


class MultiHeadAttention(nn.Module):
    """(Y, A) of multi-head attention (Vaswani et al. 2017, section 3.2.2), A before the dropout."""

    def __init__(self, model_width: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"num_heads should divide the width {model_width}, but is {num_heads}.")
        self.num_heads, self.dropout = num_heads, dropout
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(model_width, model_width, bias=bias) for _ in range(4))

    def forward(
        self, queries: Tensor, keys: Tensor | None = None, values: Tensor | None = None, allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q, K = split_heads(self.W_Q(queries), self.num_heads), split_heads(self.W_K(keys), self.num_heads)
        V = split_heads(self.W_V(values), self.num_heads)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(F.dropout(A, self.dropout, self.training) @ V)), A


def padding_mask(lengths: Tensor, N_K: int) -> Tensor:
    """Return allowed (B, 1, 1, N_K), True for the keys before each sequence's length."""
    return (torch.arange(N_K, device=lengths.device) < lengths[:, None])[:, None, None]


class CachedSelfAttention(nn.Module):
    """Causal multi-head self-attention of new positions over all earlier ones, whose keys and values are in the cache."""

    def __init__(self, model_width: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(model_width, model_width) for _ in range(4))

    def forward(self, X: Tensor, cache: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        Q, K, V = (split_heads(W(X), self.num_heads) for W in (self.W_Q, self.W_K, self.W_V))
        if cache is not None:
            K, V = torch.cat((cache[0], K), -2), torch.cat((cache[1], V), -2)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], X.device)
        return self.W_O(merge_heads(attention_weights(Q, K, allowed) @ V)), (K, V)


class ConvSelfAttention(nn.Module):
    """Self-attention over the positions of a feature map, added to it (Zhang et al. 2019, without their factor γ)."""

    def __init__(self, channels: int, inner_channels: int):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Conv2d(channels, inner_channels, 1) for _ in range(3))
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        Q, K, V = (W(X).flatten(2).mT for W in (self.W_Q, self.W_K, self.W_V))
        A = torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), -1)
        Y = (A @ V).mT.reshape(*V.shape[:1], V.shape[2], *X.shape[2:])
        return X + self.W_O(Y), A
