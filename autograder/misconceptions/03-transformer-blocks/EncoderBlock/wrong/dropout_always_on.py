"""Entries are set to 0 in evaluation too, so two calls differ. Look at what says whether the module
is training."""


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
            X = X + F.dropout(Y, self.dropout.p)
            return X + F.dropout(self.feed_forward(self.norm_2(X)), self.dropout.p), A
        Y, A = self.attention(X, X, X, allowed)
        X = self.norm_1(X + F.dropout(Y, self.dropout.p))
        return self.norm_2(X + F.dropout(self.feed_forward(X), self.dropout.p)), A
