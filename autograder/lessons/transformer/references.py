"""Right versions of the encoder, the decoder and the whole model of 04-transformer."""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.lessons.multi_head_attention.references import padding_mask
from autograder.lessons.transformer_blocks.references import (
    DecoderBlock,
    EncoderBlock,
    LayerNorm,
    LearnedPositions,
    sinusoidal_positions,
)


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


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(make_model=make_model)
