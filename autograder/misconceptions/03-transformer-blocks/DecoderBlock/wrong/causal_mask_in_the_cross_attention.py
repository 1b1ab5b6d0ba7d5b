"""The cross-attention has a causal mask too, so a word cannot see all of the source. Look at which
attention needs to hide the future."""


class DecoderBlock(nn.Module):
    def __init__(
        self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"
    ):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is 'pre' or 'post', not {norm!r}")
        self.norm = norm
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.norm_3 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        causal = causal_mask(X.shape[1], device=X.device)
        allowed = causal if allowed is None else allowed & causal
        seen = causal_mask(X.shape[1], memory.shape[1], device=X.device)
        memory_allowed = seen if memory_allowed is None else memory_allowed & seen
        if self.norm == "pre":
            Z = self.norm_1(X)
            Y, A_self = self.self_attention(Z, Z, Z, allowed)
            X = X + self.dropout(Y)
            Y, A_cross = self.cross_attention(self.norm_2(X), memory, memory, memory_allowed)
            X = X + self.dropout(Y)
            Y = X + self.dropout(self.feed_forward(self.norm_3(X)))
        else:
            Y, A_self = self.self_attention(X, X, X, allowed)
            X = self.norm_1(X + self.dropout(Y))
            Y, A_cross = self.cross_attention(X, memory, memory, memory_allowed)
            X = self.norm_2(X + self.dropout(Y))
            Y = self.norm_3(X + self.dropout(self.feed_forward(X)))
        return Y, (A_self, A_cross)
