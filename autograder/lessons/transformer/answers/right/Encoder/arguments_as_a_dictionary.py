"""The arguments go on as a dictionary, and hasattr asks for the last norm."""
class Encoder(nn.Module):
    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        arguments = dict(
            model_width=model_width,
            num_heads=num_heads,
            hidden_width=hidden_width,
            dropout=dropout,
            norm=norm,
            activation=activation,
        )
        if norm == "pre":
            self.norm = LayerNorm(model_width)
        self.blocks = nn.ModuleList([EncoderBlock(**arguments) for _ in range(num_blocks)])

    def forward(self, X, allowed=None):
        weights = [None] * len(self.blocks)
        for i, block in enumerate(self.blocks):
            X, weights[i] = block(X, allowed)
        if hasattr(self, "norm"):
            X = self.norm(X)
        return X, weights
