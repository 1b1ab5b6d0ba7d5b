"""Encoders of token ids after BERT (Devlin et al., 2019), and its masked language model as lesson 09 builds it."""

import torch
import torch.nn.functional as F
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


class BertEmbeddings(nn.Module):
    """Token, segment and position vectors, added and normalised."""

    def __init__(self, vocab_size: int, model_width: int, max_length: int, dropout: float = 0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)
        for table in (self.tokens, self.segments, self.positions):
            nn.init.normal_(table.weight, std=0.2)

    def forward(self, ids: Int[Tensor, "B N"], segments: Int[Tensor, "B N"] | None = None) -> Float[Tensor, "B N D"]:
        """Return the vectors of the tokens; `segments` None means 0 for all."""
        segments = torch.zeros_like(ids) if segments is None else segments
        places = torch.arange(ids.shape[1], device=ids.device)
        return self.dropout(self.norm(self.tokens(ids) + self.segments(segments) + self.positions(places)))


class BertEncoder(nn.Module):
    """Embeddings and an encoder in which every token sees the whole sequence, padding (id 0) left out.

    hidden_width: the width inside the feed-forward networks; None means 4 · model_width.
    """

    def __init__(
        self,
        vocab_size: int,
        model_width: int,
        num_heads: int,
        num_blocks: int,
        max_length: int,
        dropout: float = 0.1,
        hidden_width: int | None = None,
    ):
        super().__init__()
        hidden_width = 4 * model_width if hidden_width is None else hidden_width
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        self.blocks = Encoder(num_blocks, model_width, num_heads, hidden_width, dropout, "post", "gelu")

    def forward(
        self, ids: Int[Tensor, "B N"], segments: Int[Tensor, "B N"] | None = None, need_weights: bool = True
    ) -> tuple[Float[Tensor, "B N D"], list[Tensor]]:
        """Return (Y, the weights (B, H, N, N) of each block); with need_weights=False the list is empty."""
        return self.blocks(self.embeddings(ids, segments), (ids != 0)[:, None, None], need_weights)


class MaskedLanguageModel(nn.Module):
    """BERT's masked language model: the encoder, one more layer, and the token vectors as output."""

    def __init__(
        self, vocab_size: int, model_width: int, num_heads: int, num_blocks: int, max_length: int, dropout: float = 0.1
    ):
        super().__init__()
        self.encoder = BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout)
        self.transform = nn.Linear(model_width, model_width)
        nn.init.eye_(self.transform.weight)
        self.output_norm = nn.LayerNorm(model_width)
        self.output_bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(
        self, ids: Int[Tensor, "B N"], segments: Int[Tensor, "B N"] | None = None
    ) -> Float[Tensor, "B N vocab_size"]:
        """Return the logits of the original token at each position."""
        Y, _ = self.encoder(ids, segments, need_weights=False)
        Z = self.output_norm(F.gelu(self.transform(Y)))
        return F.linear(Z, self.encoder.embeddings.tokens.weight, self.output_bias)
