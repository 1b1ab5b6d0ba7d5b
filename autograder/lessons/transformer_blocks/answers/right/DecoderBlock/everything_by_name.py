"""Identities for the unused norms, and masks with all four axes."""
class DecoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm != "pre" and norm != "post":
            raise ValueError(norm)
        self.post = norm == "post"
        self.norm_3, self.norm_2, self.norm_1 = (LayerNorm(model_width) for _ in range(3))
        self.dropout = nn.Dropout(p=dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)

    def before(self, norm, X):
        return X if self.post else norm(X)

    def after(self, norm, X):
        return norm(X) if self.post else X

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        positions = torch.arange(X.shape[1], device=X.device)
        causal = (positions[None, :] <= positions[:, None])[None, None]
        if allowed is None:
            allowed = torch.ones((), dtype=torch.bool, device=X.device)
        Z = self.before(self.norm_1, X)
        Y, A_self = self.self_attention(queries=Z, keys=Z, values=Z, allowed=causal & allowed)
        X = self.after(self.norm_1, X + self.dropout(Y))
        Z = self.before(self.norm_2, X)
        Y, A_cross = self.cross_attention(queries=Z, keys=memory, values=memory, allowed=memory_allowed)
        X = self.after(self.norm_2, X + self.dropout(Y))
        Z = self.before(self.norm_3, X)
        X = self.after(self.norm_3, X + self.dropout(self.feed_forward(Z)))
        return X, (A_self, A_cross)
