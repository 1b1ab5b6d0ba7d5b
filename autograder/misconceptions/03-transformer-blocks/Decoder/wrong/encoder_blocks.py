"""The blocks are encoder blocks, which have neither a causal mask nor a cross-attention. Look at
which block reads a memory."""


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
            EncoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
            for _ in range(num_blocks)
        )
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        if self.norm is not None:
            X = self.norm(X)
        return X, weights
