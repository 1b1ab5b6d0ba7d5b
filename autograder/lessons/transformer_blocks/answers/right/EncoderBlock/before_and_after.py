"""One flow for both: each norm is an identity before or after."""
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm == "pre":
            self.pre = True
        elif norm == "post":
            self.pre = False
        else:
            raise ValueError(norm)
        self.dropout = nn.Dropout(dropout)
        self.norm_2 = LayerNorm(model_width)
        self.norm_1 = LayerNorm(model_width)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)

    def forward(self, X, allowed=None):
        before_1 = self.norm_1 if self.pre else lambda x: x
        before_2 = self.norm_2 if self.pre else lambda x: x
        after_1 = self.norm_1 if not self.pre else lambda x: x
        after_2 = self.norm_2 if not self.pre else lambda x: x
        inputs = before_1(X)
        attended, A = self.attention(inputs, inputs, inputs, allowed)
        X = after_1(X + self.dropout(attended))
        return after_2(X + self.dropout(self.feed_forward(before_2(X)))), A
