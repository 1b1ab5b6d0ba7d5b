"""An assert stops any other norm; one expression for each sub-layer."""


class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        assert norm in ("post", "pre"), norm
        self.pre = norm == "pre"
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1, self.norm_2 = LayerNorm(model_width), LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, allowed=None):
        Y, A = self.attention(self.norm_1(X) if self.pre else X, allowed=allowed)
        X = X + self.dropout(Y)
        X = X if self.pre else self.norm_1(X)
        Y = X + self.dropout(self.feed_forward(self.norm_2(X) if self.pre else X))
        return (Y if self.pre else self.norm_2(Y)), A
