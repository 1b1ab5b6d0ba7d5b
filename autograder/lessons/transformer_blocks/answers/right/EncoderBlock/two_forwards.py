"""The forward pass is chosen when the block is made."""
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        forwards = {"pre": self.pre_norm, "post": self.post_norm}
        if norm not in forwards:
            raise ValueError(f"norm must be one of {list(forwards)}")
        self.forward_kind = norm
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def pre_norm(self, X, allowed):
        normed = self.norm_1(X)
        attended, A = self.attention(normed, normed, normed, allowed)
        middle = self.dropout(attended) + X
        return self.dropout(self.feed_forward(self.norm_2(middle))) + middle, A

    def post_norm(self, X, allowed):
        attended, A = self.attention(X, None, None, allowed)
        middle = self.norm_1(self.dropout(attended) + X)
        return self.norm_2(self.dropout(self.feed_forward(middle)) + middle), A

    def forward(self, X, allowed=None):
        return getattr(self, self.forward_kind + "_norm")(X, allowed)
