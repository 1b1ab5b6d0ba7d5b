"""The feed-forward layer comes before the attention. Look at the order of the two sub-layers."""


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
            X = X + self.dropout(self.feed_forward(self.norm_1(X)))
            Z = self.norm_2(X)
            Y, A = self.attention(Z, Z, Z, allowed)
            return X + self.dropout(Y), A
        X = self.norm_1(X + self.dropout(self.feed_forward(X)))
        Y, A = self.attention(X, X, X, allowed)
        return self.norm_2(X + self.dropout(Y)), A
