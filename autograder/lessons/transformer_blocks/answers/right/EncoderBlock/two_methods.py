"""A method for each sub-layer, and norm_first as a flag."""
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError("norm: pre or post")
        self.norm_first = norm == "pre"
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1, self.norm_2 = LayerNorm(model_width), LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def _attend(self, X, allowed):
        Y, A = self.attention(X, allowed=allowed)
        return self.dropout(Y), A

    def _feed(self, X):
        return self.dropout(self.feed_forward(X))

    def forward(self, X, allowed=None):
        if self.norm_first:
            Y, A = self._attend(self.norm_1(X), allowed)
            X = X + Y
            X = X + self._feed(self.norm_2(X))
        else:
            Y, A = self._attend(X, allowed)
            X = self.norm_1(X + Y)
            X = self.norm_2(X + self._feed(X))
        return X, A
