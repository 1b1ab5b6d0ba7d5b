"""The encoder and the decoder as stacks of blocks, without embeddings and output layer."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.layers.blocks import DecoderBlock, EncoderBlock
from course_lib.layers.norm import LayerNorm


class Encoder(nn.Module):
    """`num_blocks` independent EncoderBlocks, one after the other; for norm="pre" a last LayerNorm, `norm`.

    Of X (B, N, D) it makes Y (B, N, D), and for each block its weights (B, H, N, N). Without the last norm, the output of
    pre-norm blocks, a sum over all blocks, would grow with their number. Raises the errors of EncoderBlock.
    """

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
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(
        self,
        X: Float[Tensor, "B N D"],
        allowed: Bool[Tensor, "..."] | None = None,
        need_weights: bool = True,
        causal: bool = False,
    ) -> tuple[Float[Tensor, "B N D"], list[Tensor]]:
        """Return (Y, the weights (B, H, N, N) of each block); with need_weights=False the list is empty.

        allowed and causal: as in EncoderBlock, the same for all blocks.
        """
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed, need_weights, causal)
            if need_weights:
                weights.append(A)
        return (X if self.norm is None else self.norm(X)), weights


class Decoder(nn.Module):
    """`num_blocks` independent DecoderBlocks, one after the other; for norm="pre" a last LayerNorm, `norm`.

    Of X (B, N, D) and memory (B, N_M, D) it makes Y (B, N, D), and for each block the weights (B, H, N, N_M) of its
    cross-attention. Raises the errors of DecoderBlock.
    """

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
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(
        self,
        X: Float[Tensor, "B N D"],
        memory: Float[Tensor, "B N_M D"],
        allowed: Bool[Tensor, "..."] | None = None,
        memory_allowed: Bool[Tensor, "..."] | None = None,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "B N D"], list[Tensor]]:
        """Return (Y, the cross-attention's weights (B, H, N, N_M) of each block, none with need_weights=False).

        memory, allowed and memory_allowed: as in DecoderBlock, the same for all blocks.
        """
        weights = []
        for block in self.blocks:
            X, (_, A_cross) = block(X, memory, allowed, memory_allowed, need_weights)
            if need_weights:
                weights.append(A_cross)
        return (X if self.norm is None else self.norm(X)), weights
