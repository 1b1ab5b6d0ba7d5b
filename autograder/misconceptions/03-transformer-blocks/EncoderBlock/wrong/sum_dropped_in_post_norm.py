"""In post-norm dropout is applied to the sum, so it sets entries of X itself to 0. Look at what the brackets of the dropout hold."""


class EncoderBlock(nn.Module):
    def __init__(
        self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"
    ):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is 'pre' or 'post', not {norm!r}")
        self.norm = norm
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, allowed=None):
        if self.norm == "pre":
            Z = self.norm_1(X)
            Y, A = self.attention(Z, Z, Z, allowed)
            X = X + self.dropout(Y)
            return X + self.dropout(self.feed_forward(self.norm_2(X))), A
        Y, A = self.attention(X, X, X, allowed)
        X = self.norm_1(self.dropout(X + Y))
        return self.norm_2(self.dropout(X + self.feed_forward(X))), A
