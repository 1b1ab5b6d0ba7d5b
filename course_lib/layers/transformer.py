"""The encoder-decoder of Vaswani et al. (2017), Attention Is All You Need."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.layers.config import TransformerConfig
from course_lib.layers.dropout import Dropout
from course_lib.layers.initialisation import embedding_to_tie, normal
from course_lib.layers.masks import padding_mask
from course_lib.layers.positions import sinusoidal_positions
from course_lib.layers.stacks import Decoder, Encoder


class Transformer(nn.Module):
    """An encoder of the source, and a causal decoder that predicts the target's next token at every position.

    Both share `embedding`. With `config.tied` it is also the output matrix, which otherwise is `output`.
    """

    positions: Tensor

    def __init__(self, config: TransformerConfig):
        super().__init__()
        width = config.model_width
        sizes = (width, config.num_heads, config.hidden_width, config.dropout, config.norm, config.activation)
        self.embedding = embedding_to_tie(config.vocab_size, width)
        self.encoder = Encoder(config.encoder_blocks, *sizes)
        self.decoder = Decoder(config.decoder_blocks, *sizes)
        self.dropout = Dropout(config.dropout)
        self.output = None if config.tied else nn.Linear(width, config.vocab_size, bias=False)
        # Filled by the first call, and never saved: a checkpoint holds only learned values.
        self.register_buffer("positions", torch.empty(config.max_length, width), persistent=False)
        self.positions_filled = False
        if self.output is not None:
            normal(self.output.weight.data, width**-0.5)  # logits of variance 1, as if tied

    def forward(
        self,
        source: Int[Tensor, "B N_S"],
        target: Int[Tensor, "B N_T"],
        source_lengths: Int[Tensor, " B"] | None = None,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "B N_T vocab_size"], list[Tensor]]:
        """Return (logits, the cross-attention's weights (B, H, N_T, N_S) of each decoder block).

        logits[b, i] belong to the token that follows target[b, i]; they depend on target[b, : i + 1] only.
        source_lengths: how many tokens of each source are no padding; None means all. With need_weights=False the list
        is empty, and everything runs faster.
        """
        allowed = None if source_lengths is None else padding_mask(source_lengths, source.shape[1])
        memory = self.encode(source, allowed)
        return self.decode(target, memory, allowed, need_weights)

    def encode(
        self, source: Int[Tensor, "B N_S"], allowed: Bool[Tensor, "..."] | None = None
    ) -> Float[Tensor, "B N_S D"]:
        """Return the encoder's output, which is computed once while a target is generated token by token."""
        return self.encoder(self._embed(source), allowed, need_weights=False)[0]

    def decode(
        self,
        target: Int[Tensor, "B N_T"],
        memory: Float[Tensor, "B N_S D"],
        memory_allowed: Bool[Tensor, "..."] | None = None,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "B N_T vocab_size"], list[Tensor]]:
        """Return the result of `forward`, given the output of `encode`."""
        Y, weights = self.decoder(self._embed(target), memory, None, memory_allowed, need_weights)
        matrix = self.embedding.weight if self.output is None else self.output.weight  # (vocab_size, D)
        return F.linear(Y, matrix), weights

    def _embed(self, ids: Int[Tensor, "B N"]) -> Float[Tensor, "B N D"]:
        N, width = ids.shape[1], self.embedding.embedding_dim
        X = self.embedding(ids) * math.sqrt(width)
        return self.dropout(X + self._first_positions(N, width).to(X.dtype))

    def _first_positions(self, N: int, width: int) -> Float[Tensor, "N D"]:
        if len(self.positions) < N:
            return sinusoidal_positions(N, width).to(self.positions)
        if not self.positions_filled:
            self.positions.copy_(sinusoidal_positions(len(self.positions), width))
            self.positions_filled = True
        return self.positions[:N]
