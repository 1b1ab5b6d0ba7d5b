"""The new keys and values are written over the last places of the cache that was passed in. Look
for lines that change an argument, and at how long the returned K is to be."""


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
            past_K, past_V = cache
            with torch.no_grad():
                N = min(X.shape[1], past_K.shape[-2])
                past_K[:, :, past_K.shape[-2] - N :] = K[:, :, :N]
                past_V[:, :, past_V.shape[-2] - N :] = V[:, :, :N]
            K, V = torch.cat([past_K, K], dim=-2), torch.cat([past_V, V], dim=-2)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), (K, V)
