"""The LayerNorm of the pre-norm stack is applied to its input instead of its output. Look at where
it stands."""


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
        if self.norm is not None:
            X = self.norm(X)
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        return X, weights
