"""The blocks of encoders and decoders.

"post" normalises the output of a residual connection, as in the first Transformer (Vaswani et al., 2017, section 3.1); "pre"
normalises the input of a sub-layer and leaves the sum alone, so that gradients pass unchanged from the last block to the first
(Xiong et al., 2020).
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.layers.dropout import Dropout
from course_lib.layers.feed_forward import FeedForward
from course_lib.layers.multi_head import MultiHeadAttention
from course_lib.layers.norm import LayerNorm

NORMS = ("post", "pre")
Mask = Bool[Tensor, "..."] | None


class EncoderBlock(nn.Module):
    """Self-attention, then feed-forward, each with dropout, residual connection and LayerNorm.

    Of X (B, N, D) it makes Y (B, N, D) and the weights (B, H, N, N). Raises ValueError if `num_heads` does not divide
    `model_width`, or `norm` or `activation` is unknown.
    """

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
        check_norm(norm)
        self.pre = norm == "pre"
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.dropout = Dropout(dropout)

    def forward(
        self, X: Float[Tensor, "B N D"], allowed: Mask = None, need_weights: bool = True, causal: bool = False
    ) -> tuple[Float[Tensor, "B N D"], Float[Tensor, "B H N N"] | None]:
        """Return (Y, A): the block's output, and its weights (B, H, N, N), None with need_weights=False.

        allowed: a mask that broadcasts to (B, H, N, N), True where a position may attend. `causal` also hides later positions, as
        in a language model.
        """
        if self.pre:
            added, A = self.attention(self.norm_1(X), allowed=allowed, need_weights=need_weights, causal=causal)
            X = X + self.dropout(added)
            return X + self.dropout(self.feed_forward(self.norm_2(X))), A
        added, A = self.attention(X, allowed=allowed, need_weights=need_weights, causal=causal)
        X = self.norm_1(X + self.dropout(added))
        return self.norm_2(X + self.dropout(self.feed_forward(X))), A


class DecoderBlock(nn.Module):
    """Causal self-attention, cross-attention to the encoder's output, feed-forward; each wrapped as in EncoderBlock.

    Of X (B, N, D) and memory (B, N_M, D) it makes Y (B, N, D), and the weights (B, H, N, N) and (B, H, N, N_M) of the two.
    Raises ValueError if `num_heads` does not divide `model_width`, or `norm` or `activation` is unknown.
    """

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
        check_norm(norm)
        self.pre = norm == "pre"
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.norm_3 = LayerNorm(model_width)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        X: Float[Tensor, "B N D"],
        memory: Float[Tensor, "B N_M D"],
        allowed: Mask = None,
        memory_allowed: Mask = None,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "B N D"], tuple[Float[Tensor, "B H N N"] | None, Float[Tensor, "B H N N_M"] | None]]:
        """Return (Y, (A_self, A_cross)); with need_weights=False both weights are None.

        memory: the encoder's output, where cross-attention takes its keys and values.
        allowed: a mask that broadcasts to (B, H, N, N), besides the causal mask, which is always there.
        memory_allowed: a mask that broadcasts to (B, H, N, N_M), such as the `padding_mask` of the source.
        """
        own = {"allowed": allowed, "need_weights": need_weights, "causal": True}
        other = {"keys": memory, "allowed": memory_allowed, "need_weights": need_weights}
        if self.pre:
            added, A_self = self.self_attention(self.norm_1(X), **own)
            X = X + self.dropout(added)
            added, A_cross = self.cross_attention(self.norm_2(X), **other)
            X = X + self.dropout(added)
            return X + self.dropout(self.feed_forward(self.norm_3(X))), (A_self, A_cross)
        added, A_self = self.self_attention(X, **own)
        X = self.norm_1(X + self.dropout(added))
        added, A_cross = self.cross_attention(X, **other)
        X = self.norm_2(X + self.dropout(added))
        return self.norm_3(X + self.dropout(self.feed_forward(X))), (A_self, A_cross)


def check_norm(norm: str) -> None:
    """Raise ValueError unless `norm` is "post" or "pre"."""
    if norm not in NORMS:
        raise ValueError(
            f'Expected norm "post" (after the residual connection, as in the first Transformer and BERT) or "pre" '
            f"(before each sub-layer, as in GPT-2 and ViT), got {norm!r}."
        )
