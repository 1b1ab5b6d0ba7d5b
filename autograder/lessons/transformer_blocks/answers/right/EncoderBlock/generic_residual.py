"""A helper that takes the sub-layer as a function."""
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in {"pre", "post"}:
            raise ValueError(f"unknown norm {norm}")
        self.kind = norm
        self.attention = MultiHeadAttention(model_width, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(
            width=model_width, hidden_width=hidden_width, dropout=dropout, activation=activation
        )
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def around(self, X, norm, layer):
        if self.kind == "pre":
            return X + self.dropout(layer(norm(X)))
        return norm(X + self.dropout(layer(X)))

    def forward(self, X, allowed=None):
        found = []

        def attend(Z):
            Y, A = self.attention(Z, Z, Z, allowed)
            found.append(A)
            return Y

        X = self.around(X, self.norm_1, attend)
        X = self.around(X, self.norm_2, self.feed_forward)
        return X, found[0]
