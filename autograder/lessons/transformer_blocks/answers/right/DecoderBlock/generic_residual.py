"""A loop over the three sub-layers as functions."""
class DecoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in ["pre", "post"]:
            raise ValueError("norm has to be pre or post")
        self.pre = norm == "pre"
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        for i in (1, 2, 3):
            setattr(self, f"norm_{i}", LayerNorm(model_width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        mask = causal_mask(X.shape[1]).to(X.device)
        mask = mask if allowed is None else mask & allowed
        weights = []

        def look_back(Z):
            Y, A = self.self_attention(Z, Z, Z, mask)
            weights.append(A)
            return Y

        def look_across(Z):
            Y, A = self.cross_attention(Z, memory, memory, memory_allowed)
            weights.append(A)
            return Y

        layers = (look_back, look_across, self.feed_forward)
        norms = (self.norm_1, self.norm_2, self.norm_3)
        for layer, norm in zip(layers, norms, strict=True):
            if self.pre:
                X = X + self.dropout(layer(norm(X)))
            else:
                X = norm(X + self.dropout(layer(X)))
        return X, tuple(weights)
