"""Right versions of the layers and blocks of 03-transformer-blocks."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.attention.references import causal_mask
from autograder.lessons.multi_head_attention.references import MultiHeadAttention


class LayerNorm(nn.Module):
    """(x − mean) / √(variance + ε) · γ + β over the last axis, with the biased variance (Ba et al. 2016)."""

    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps

    def forward(self, X: Tensor) -> Tensor:
        centred = X - X.mean(-1, keepdim=True)
        variance = (centred**2).mean(-1, keepdim=True)
        return centred / torch.sqrt(variance + self.eps) * self.gamma + self.beta


class FeedForward(nn.Module):
    """W_2(dropout(activation(W_1(X)))) on every vector by itself."""

    def __init__(self, width: int, hidden_width: int, dropout: float = 0.0, activation: str = "relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f'activation should be "relu" or "gelu", but is {activation!r}.')
        self.W_1, self.W_2 = nn.Linear(width, hidden_width), nn.Linear(hidden_width, width)
        self.dropout, self.activation = nn.Dropout(dropout), F.relu if activation == "relu" else F.gelu

    def forward(self, X: Tensor) -> Tensor:
        return self.W_2(self.dropout(self.activation(self.W_1(X))))


def sinusoidal_positions(N: int, D: int) -> Tensor:
    """Return (N, D) with sin(pos / 10000^(2i/D)) in column 2i and the cosine in column 2i + 1 (Vaswani et al. 2017, 3.5)."""
    columns = torch.arange(D)
    exponents = (columns - columns % 2).double() / D
    angles = torch.arange(N, dtype=torch.float64)[:, None] * torch.pow(10000.0, -exponents)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos()).float()


class LearnedPositions(nn.Module):
    """X plus a learned row for every position."""

    def __init__(self, max_length: int, width: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, width) * 0.02)

    def forward(self, X: Tensor) -> Tensor:
        if X.shape[-2] > len(self.table):
            raise ValueError(f"There are {len(self.table)} positions, but the sequence has {X.shape[-2]}.")
        return X + self.table[: X.shape[-2]]


def _known_norm(norm: str) -> str:
    if norm not in ("post", "pre"):
        raise ValueError(f'norm should be "post" or "pre", but is {norm!r}.')
    return norm


class EncoderBlock(nn.Module):
    """Self-attention, then the feed-forward layer, each with a residual connection and a LayerNorm after or before it."""

    def __init__(
        self,
        model_width: int,
        num_heads: int,
        hidden_width: int,
        dropout: float = 0.0,
        norm: str = "post",
        activation: str = "relu",
    ):
        super().__init__()
        self.norm = _known_norm(norm)
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1, self.norm_2 = LayerNorm(model_width), LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if self.norm == "pre":
            added, A = self.attention(self.norm_1(X), allowed=allowed)
            X = X + self.dropout(added)
            return X + self.dropout(self.feed_forward(self.norm_2(X))), A
        added, A = self.attention(X, allowed=allowed)
        X = self.norm_1(X + self.dropout(added))
        return self.norm_2(X + self.dropout(self.feed_forward(X))), A


class DecoderBlock(nn.Module):
    """Masked self-attention, attention to the encoder's output, and the feed-forward layer."""

    def __init__(
        self,
        model_width: int,
        num_heads: int,
        hidden_width: int,
        dropout: float = 0.0,
        norm: str = "post",
        activation: str = "relu",
    ):
        super().__init__()
        self.norm = _known_norm(norm)
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1, self.norm_2, self.norm_3 = (LayerNorm(model_width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, X: Tensor, memory: Tensor, allowed: Tensor | None = None, memory_allowed: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        pre = self.norm == "pre"
        causal = causal_mask(X.shape[-2], device=X.device)
        allowed = causal if allowed is None else causal & allowed
        added, A_self = self.self_attention(self.norm_1(X) if pre else X, allowed=allowed)
        X = X + self.dropout(added)
        X = X if pre else self.norm_1(X)
        added, A_cross = self.cross_attention(self.norm_2(X) if pre else X, memory, allowed=memory_allowed)
        X = X + self.dropout(added)
        X = X if pre else self.norm_2(X)
        X = X + self.dropout(self.feed_forward(self.norm_3(X) if pre else X))
        return (X if pre else self.norm_3(X)), (A_self, A_cross)
