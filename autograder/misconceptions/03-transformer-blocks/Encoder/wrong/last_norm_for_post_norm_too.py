"""A post-norm stack is normalised once more at the end, with two parameters too many. Look at what
its last block ends with."""


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
        self.norm = LayerNorm(model_width)

    def forward(self, X, allowed=None):
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        X = self.norm(X)
        return X, weights
