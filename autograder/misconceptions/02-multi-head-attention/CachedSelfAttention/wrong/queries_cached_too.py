"""The queries are cached like the keys: the cache has three parts, and Y has a row for every
position that there ever was. Look at who needs the queries of earlier positions."""


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
            Q, K, V = (torch.cat([old, new], dim=-2) for old, new in zip(cache, (Q, K, V)))
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), (Q, K, V)
