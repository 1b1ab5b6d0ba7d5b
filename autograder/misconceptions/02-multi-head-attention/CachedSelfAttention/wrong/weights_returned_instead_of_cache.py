"""The weights are returned in the place of the cache. Look at what is to be returned: Y and the
pair (K, V)."""


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_O = nn.Linear(model_width, model_width)

    def forward(self, X, cache=None):
        Q = split_heads(self.W_Q(X), self.num_heads)
        K = split_heads(self.W_K(X), self.num_heads)
        V = split_heads(self.W_V(X), self.num_heads)
        if cache is not None:
            K = torch.cat([cache[0], K], dim=-2)
            V = torch.cat([cache[1], V], dim=-2)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), A
