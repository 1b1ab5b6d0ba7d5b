"""A language model after GPT-2 (Radford et al., 2019)."""

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.layers.config import TransformerConfig
from course_lib.layers.dropout import Dropout
from course_lib.layers.initialisation import small_embedding, small_start
from course_lib.layers.positions import LearnedPositions
from course_lib.layers.stacks import Encoder


class LanguageModel(nn.Module):
    """Token and position vectors, causal pre-norm blocks, a last LayerNorm, logits for the next token.

    The blocks are those of an encoder: with no source to read, a decoder has no cross-attention, and what is left is
    self-attention under the causal mask and feed-forward.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        width = config.model_width
        sizes = (width, config.num_heads, config.hidden_width, config.dropout, "pre", config.activation)
        self.embedding = small_embedding(config.vocab_size, width)
        self.positions = LearnedPositions(config.max_length, width)
        self.dropout = Dropout(config.dropout)
        self.decoder = Encoder(config.decoder_blocks, *sizes)
        self.output = None if config.tied else nn.Linear(width, config.vocab_size, bias=False)
        small_start(self, config.decoder_blocks)

    def forward(
        self, ids: Int[Tensor, "B N"], need_weights: bool = True
    ) -> tuple[Float[Tensor, "B N vocab_size"], list[Tensor]]:
        """Return (logits, the weights (B, H, N, N) of each block); with need_weights=False the list is empty.

        logits[b, i] belong to the token that follows ids[b, i]; they depend on ids[b, : i + 1] only, so padding at the
        end changes nothing before it. Raises ValueError for more than max_length tokens.
        """
        X = self.dropout(self.positions(self.embedding(ids)))
        Y, weights = self.decoder(X, need_weights=need_weights, causal=True)
        matrix = self.embedding.weight if self.output is None else self.output.weight  # (vocab_size, D)
        return F.linear(Y, matrix), weights
