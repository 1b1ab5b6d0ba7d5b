"""The output of the first block is returned, whatever follows. Look at what the loop does after one
block."""


class Encoder(nn.Module):
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

    def forward(self, X, allowed=None):
        weights = []
        for number, block in enumerate(self.blocks):
            Y, A = block(X if number == 0 else Y, allowed)
            weights.append(A)
            if number == 0:
                X = Y
        if self.norm is not None:
            X = self.norm(X)
        return X, weights
