"""An encoder of token ids after BERT (Devlin et al., 2019)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.layers.config import TransformerConfig
from course_lib.layers.dropout import Dropout
from course_lib.layers.initialisation import small_embedding, small_normal
from course_lib.layers.masks import padding_mask
from course_lib.layers.norm import LayerNorm
from course_lib.layers.positions import LearnedPositions
from course_lib.layers.stacks import Encoder


class TokenEncoder(nn.Module):
    """Token, segment and position vectors, LayerNorm, then an Encoder; every position sees the whole sequence.

    It ends with one vector for each token, for a head of your own.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        width = config.model_width
        sizes = (width, config.num_heads, config.hidden_width, config.dropout, config.norm, config.activation)
        self.embedding = small_embedding(config.vocab_size, width)
        self.segments = small_embedding(config.segments, width) if config.segments else None
        self.positions = LearnedPositions(config.max_length, width)
        self.norm = LayerNorm(width)
        self.dropout = Dropout(config.dropout)
        self.encoder = Encoder(config.encoder_blocks, *sizes)
        self.pooler = nn.Linear(width, width) if config.pooler else None
        small_normal(self)

    def forward(
        self,
        ids: Int[Tensor, "B N"],
        segments: Int[Tensor, "B N"] | None = None,
        lengths: Int[Tensor, " B"] | None = None,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "B N D"], list[Tensor]]:
        """Return (Y, the weights (B, H, N, N) of each block); with need_weights=False the list is empty.

        segments: the segment of each token; None means segment 0. lengths: the number of tokens of each example without padding;
        None means all. Raises ValueError for more than max_length tokens, or for `segments` if the model has none.
        """
        X = self.positions(self._embed(ids, segments))
        allowed = None if lengths is None else padding_mask(lengths, ids.shape[1])
        return self.encoder(self.dropout(self.norm(X)), allowed, need_weights)

    def pool(self, Y: Float[Tensor, "B N D"]) -> Float[Tensor, "B D"]:
        """Return tanh(pooler(Y[:, 0])): BERT's summary of an example, taken at its first token, [CLS].

        Raises ValueError if the model was made without a pooler.
        """
        if self.pooler is None:
            raise ValueError("Expected a model with a pooler, got one without. Make it with pooler=True.")
        return torch.tanh(self.pooler(Y[:, 0]))

    def _embed(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        X = self.embedding(ids)  # (B, N, D)
        if self.segments is not None:
            return X + self.segments(torch.zeros_like(ids) if segments is None else segments)
        if segments is not None:
            raise ValueError("Expected no segments, since this model has none. Make it with segments=2.")
        return X
