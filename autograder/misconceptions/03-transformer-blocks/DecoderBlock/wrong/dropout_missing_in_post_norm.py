"""In post-norm nothing is set to 0 on what the sub-layers add. Compare the two orders line by line."""


class DecoderBlock(nn.Module):
    def __init__(
        self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"
    ):
        super().__init__()
        if norm == "pre":
            self.forward_kind = self.pre_norm
        elif norm == "post":
            self.forward_kind = self.post_norm
        else:
            raise ValueError(f"unknown norm: {norm}")
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.norm_3 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def pre_norm(self, X, memory, allowed, memory_allowed):
        Y, A_self = self.self_attention(self.norm_1(X), allowed=allowed)
        X = X + self.dropout(Y)
        Y, A_cross = self.cross_attention(self.norm_2(X), keys=memory, allowed=memory_allowed)
        X = X + self.dropout(Y)
        return X + self.dropout(self.feed_forward(self.norm_3(X))), (A_self, A_cross)

    def post_norm(self, X, memory, allowed, memory_allowed):
        Y, A_self = self.self_attention(X, allowed=allowed)
        X = self.norm_1(X + Y)
        Y, A_cross = self.cross_attention(X, keys=memory, allowed=memory_allowed)
        X = self.norm_2(X + Y)
        return self.norm_3(X + self.feed_forward(X)), (A_self, A_cross)

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        N = X.shape[1]
        causal = torch.tril(torch.ones(N, N, device=X.device)).bool()
        if allowed is not None:
            causal = causal.logical_and(allowed)
        return self.forward_kind(X, memory, causal, memory_allowed)
