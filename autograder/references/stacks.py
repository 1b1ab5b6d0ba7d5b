"""Right versions of the stacks of 03-transformer-blocks, and of what that lesson is given."""

import math
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from autograder.references.blocks import DecoderBlock, EncoderBlock, LayerNorm, sinusoidal_positions
from autograder.references.heads import padding_mask


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
    """Return the parameters of an encoder-decoder, counted by hand (a LayerNorm has 2 D, a linear map D·D' + D')."""
    D, hidden = config.model_width, config.hidden_width
    attention, feed_forward, norm = 4 * (D * D + D), 2 * D * hidden + hidden + D, 2 * D
    blocks = config.encoder_blocks * (attention + feed_forward + 2 * norm)
    blocks += config.decoder_blocks * (2 * attention + feed_forward + 3 * norm)
    return blocks + 2 * norm * (config.norm == "pre") + config.vocab_size * D * (1 if config.tied else 2)
