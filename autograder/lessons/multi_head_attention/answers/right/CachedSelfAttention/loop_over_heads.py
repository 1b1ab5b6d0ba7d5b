"""A Python loop over the heads; the cache is stacked again at the end."""
class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_O = nn.Linear(model_width, model_width)

    def forward(self, X, cache=None):
        H = self.num_heads
        queries, keys, values = (W(X).chunk(H, dim=-1) for W in (self.W_Q, self.W_K, self.W_V))
        heads, new_K, new_V = [], [], []
        for h in range(H):
            K, V = keys[h], values[h]
            if cache is not None:
                K = torch.cat([cache[0][:, h], K], dim=1)
                V = torch.cat([cache[1][:, h], V], dim=1)
            allowed = causal_mask(X.shape[1], K.shape[1], device=X.device)
            heads.append(attention_weights(queries[h], K, allowed) @ V)
            new_K.append(K)
            new_V.append(V)
        cache = torch.stack(new_K, dim=1), torch.stack(new_V, dim=1)
        return self.W_O(torch.cat(heads, dim=-1)), cache
