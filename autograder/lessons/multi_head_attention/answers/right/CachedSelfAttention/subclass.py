"""A subclass of MultiHeadAttention, which brings the layers; the rest is new."""
class CachedSelfAttention(MultiHeadAttention):
    def __init__(self, model_width, num_heads):
        super().__init__(model_width, num_heads)
        self.heads = num_heads

    def forward(self, X, cache=None):
        Q, K, V = (split_heads(W(X), self.heads) for W in (self.W_Q, self.W_K, self.W_V))
        if cache is not None:
            K = torch.cat([cache[0], K], dim=2)
            V = torch.cat([cache[1], V], dim=2)
        A = attention_weights(Q, K, causal_mask(Q.shape[2], K.shape[2], X.device))
        return self.W_O(merge_heads(A @ V)), (K, V)
