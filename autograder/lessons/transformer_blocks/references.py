"""Right versions of the layers and blocks of 03-transformer-blocks."""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.attention.references import causal_mask
from autograder.lessons.multi_head_attention.references import MultiHeadAttention, padding_mask


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


class Encoder(nn.Module):
    """Independent encoder blocks, one after the other; with norm="pre" a last LayerNorm."""

    def __init__(
        self,
        num_blocks: int,
        model_width: int,
        num_heads: int,
        hidden_width: int,
        dropout: float = 0.0,
        norm: str = "post",
        activation: str = "relu",
    ):
        super().__init__()
        arguments = (model_width, num_heads, hidden_width, dropout, norm, activation)
        self.blocks = nn.ModuleList(EncoderBlock(*arguments) for _ in range(num_blocks))
        self.norm = LayerNorm(model_width) if norm == "pre" else nn.Identity()

    def forward(self, X: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        return self.norm(X), weights


class Decoder(nn.Module):
    """Independent decoder blocks, one after the other; with norm="pre" a last LayerNorm."""

    def __init__(
        self,
        num_blocks: int,
        model_width: int,
        num_heads: int,
        hidden_width: int,
        dropout: float = 0.0,
        norm: str = "post",
        activation: str = "relu",
    ):
        super().__init__()
        arguments = (model_width, num_heads, hidden_width, dropout, norm, activation)
        self.blocks = nn.ModuleList(DecoderBlock(*arguments) for _ in range(num_blocks))
        self.norm = LayerNorm(model_width) if norm == "pre" else nn.Identity()

    def forward(
        self, X: Tensor, memory: Tensor, allowed: Tensor | None = None, memory_allowed: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        weights = []
        for block in self.blocks:
            X, (_, A) = block(X, memory, allowed, memory_allowed)
            weights.append(A)
        return self.norm(X), weights


@dataclass(frozen=True)
class TransformerConfig:
    """The fields of the course's own TransformerConfig that a check sets."""

    kind: str = "encoder-decoder"
    vocab_size: int = 37000
    model_width: int = 512
    num_heads: int = 8
    hidden_width: int = 2048
    encoder_blocks: int = 6
    decoder_blocks: int = 6
    max_length: int = 512
    dropout: float = 0.1
    norm: str = "post"
    activation: str = "relu"
    tied: bool = True
    segments: int = 0
    pooler: bool = False
    patch_size: int = 16
    classes: int = 0


class Transformer(nn.Module):
    """Encoder and decoder over one table of embeddings (Vaswani et al. 2017)."""

    def __init__(self, config: Any):
        super().__init__()
        c = self.config = config
        shared = (c.model_width, c.num_heads, c.hidden_width, c.dropout, c.norm, c.activation)
        self.embedding = nn.Embedding(c.vocab_size, c.model_width)
        self.encoder, self.decoder = Encoder(c.encoder_blocks, *shared), Decoder(c.decoder_blocks, *shared)
        self.dropout = nn.Dropout(c.dropout)
        if not c.tied:
            self.output = nn.Linear(c.model_width, c.vocab_size, bias=False)

    def _embed(self, ids: Tensor) -> Tensor:
        X = self.embedding(ids) * math.sqrt(self.config.model_width)
        return self.dropout(X + sinusoidal_positions(ids.shape[-1], self.config.model_width).to(X))

    def forward(
        self, source: Tensor, target: Tensor, source_lengths: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        allowed = None if source_lengths is None else padding_mask(source_lengths, source.shape[-1])
        memory, _ = self.encoder(self._embed(source), allowed)
        Y, weights = self.decoder(self._embed(target), memory, memory_allowed=allowed)
        return Y @ (self.embedding.weight if self.config.tied else self.output.weight).T, weights


def parameter_count(config: Any) -> int:
    """Return the parameters of a model, counted by hand (a LayerNorm has 2 D, a linear map D·D' + D')."""
    D, hidden = config.model_width, config.hidden_width
    attention, feed_forward, norm = 4 * (D * D + D), 2 * D * hidden + hidden + D, 2 * D
    block, tables = attention + feed_forward + 2 * norm, config.vocab_size * D * (1 if config.tied else 2)
    if config.kind == "decoder":  # as GPT-2: no cross-attention, learned positions, always pre-norm
        return config.decoder_blocks * block + norm + tables + config.max_length * D
    if config.kind == "encoder":  # as BERT: no output
        rows = config.vocab_size + config.max_length + config.segments
        ends = norm * (1 + (config.norm == "pre")) + (D * D + D) * config.pooler
        return config.encoder_blocks * block + rows * D + ends
    if config.kind == "vision":  # as ViT: three colours, a class token, always pre-norm
        patches = 3 * config.patch_size**2 * D + D
        ends = norm + (D * config.classes + config.classes if config.classes else 0)
        return config.encoder_blocks * block + patches + D + config.max_length * D + ends
    decoder = config.decoder_blocks * (block + attention + norm)
    return config.encoder_blocks * block + decoder + 2 * norm * (config.norm == "pre") + tables


class CountedPictures(nn.Module):
    """The parameters of a model after ViT ("vision", Dosovitskiy et al. 2021), to be counted only."""

    def __init__(self, config: Any):
        super().__init__()
        c = config
        self.embedding = nn.Linear(3 * c.patch_size**2, c.model_width)
        self.class_token = nn.Parameter(torch.zeros(1, 1, c.model_width))
        self.positions = LearnedPositions(c.max_length, c.model_width)
        shared = (c.model_width, c.num_heads, c.hidden_width, c.dropout, "pre", c.activation)
        self.blocks = Encoder(c.encoder_blocks, *shared)
        self.head = nn.Linear(c.model_width, c.classes) if c.classes else None


class Counted(nn.Module):
    """The parameters of a model after BERT ("encoder", Devlin et al. 2019) or GPT-2 ("decoder"), to be counted only."""

    def __init__(self, config: Any):
        super().__init__()
        c, decoder = config, config.kind == "decoder"
        self.embedding = nn.Embedding(c.vocab_size, c.model_width)
        self.positions = LearnedPositions(c.max_length, c.model_width)
        shared = (c.model_width, c.num_heads, c.hidden_width, c.dropout, "pre" if decoder else c.norm, c.activation)
        self.blocks = Encoder(c.decoder_blocks if decoder else c.encoder_blocks, *shared)
        if decoder and not c.tied:
            self.output = nn.Linear(c.model_width, c.vocab_size, bias=False)
        if not decoder:
            self.norm = LayerNorm(c.model_width)
            self.segments = nn.Embedding(c.segments, c.model_width) if c.segments else None
            self.pooler = nn.Linear(c.model_width, c.model_width) if c.pooler else None


def make_model(config: Any) -> nn.Module:
    """Return a model of the kind that ``config`` describes."""
    if config.kind != "encoder-decoder":
        return CountedPictures(config) if config.kind == "vision" else Counted(config)
    model = Transformer(config)
    # The course's model keeps its table, so that it is clear what happens to who counts buffers.
    model.register_buffer("positions", sinusoidal_positions(config.max_length, config.model_width), persistent=False)
    return model


#: What the notebook imports of ``course_lib.layers``.
layers = SimpleNamespace(make_model=make_model)
