"""Every block reads the input of the stack, so only the last one counts. Look at what a block
passes to the next one."""


class Decoder(nn.Module):
    def __init__(
        self,
        num_blocks,
        model_width,
        num_heads,
        hidden_width,
        dropout=0.0,
        norm="post",
        activation="relu",
    ):
        super().__init__()
        self.blocks = nn.ModuleList(
            DecoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
            for _ in range(num_blocks)
        )
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        weights, Y = [], X
        for block in self.blocks:
            Y, (_, A_cross) = block(X, memory, allowed, memory_allowed)
            weights.append(A_cross)
        if self.norm is not None:
            Y = self.norm(Y)
        return Y, weights
