"""Keys and values are cached before they are split into heads: (B, N, D). Look at the shape that
the cache is to have."""


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_O = nn.Linear(model_width, model_width)

    def forward(self, X, cache=None):
        K, V = self.W_K(X), self.W_V(X)
        if cache is not None:
            K = torch.cat([cache[0], K], dim=1)
            V = torch.cat([cache[1], V], dim=1)
        cache = K, V
        Q, K, V = (split_heads(x, self.num_heads) for x in (self.W_Q(X), K, V))
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), cache
