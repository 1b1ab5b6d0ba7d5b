"""Odd: the encoder's block gives the residual way and the norms, with the attentions renamed."""
class DecoderBlock(EncoderBlock):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__(model_width, num_heads, hidden_width, dropout, norm, activation)
        self.kind = norm
        self.self_attention = self.attention
        del self.attention
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.norm_3 = LayerNorm(model_width)

    def step(self, X, norm, layer):
        Y, A = layer(norm(X) if self.kind == "pre" else X)
        X = X + self.dropout(Y)
        return (X if self.kind == "pre" else norm(X)), A

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        mask = causal_mask(X.shape[1], X.shape[1], X.device)
        if allowed is not None:
            mask = allowed & mask
        X, A_self = self.step(X, self.norm_1, lambda Z: self.self_attention(Z, allowed=mask))
        X, A_cross = self.step(X, self.norm_2, lambda Z: self.cross_attention(Z, memory, memory, memory_allowed))
        X, _ = self.step(X, self.norm_3, lambda Z: (self.feed_forward(Z), None))
        return X, (A_self, A_cross)
