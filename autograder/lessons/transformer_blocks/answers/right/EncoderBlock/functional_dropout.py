"""F.dropout with the mode passed on, and torch.add."""
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if not (norm == "pre" or norm == "post"):
            raise ValueError("norm must be pre or post")
        self.mode, self.p = norm, dropout
        self.add_module("attention", MultiHeadAttention(model_width, num_heads, dropout))
        self.add_module("norm_1", LayerNorm(model_width))
        self.add_module("feed_forward", FeedForward(model_width, hidden_width, dropout, activation))
        self.add_module("norm_2", LayerNorm(model_width))
        self.dropout = nn.Dropout(dropout)

    def drop(self, Y):
        return F.dropout(Y, self.p, self.training)

    def forward(self, X, allowed=None):
        pre = self.mode == "pre"
        Z = self.norm_1(X) if pre else X
        Y, A = self.attention(Z, Z, Z, allowed=allowed)
        X = torch.add(X, self.drop(Y))
        if not pre:
            X = self.norm_1(X)
        Z = self.norm_2(X) if pre else X
        X = torch.add(X, self.drop(self.feed_forward(Z)))
        return (X, A) if pre else (self.norm_2(X), A)
