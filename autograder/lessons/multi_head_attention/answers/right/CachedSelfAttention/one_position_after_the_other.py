"""Odd: a loop over the new positions, each with all the keys up to it."""
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
        N, N_past = X.shape[1], K.shape[-2] - X.shape[1]
        rows = []
        for i in range(N):
            end = N_past + i + 1
            a = attention_weights(Q[:, :, i : i + 1], K[:, :, :end])
            rows.append(a @ V[:, :, :end])
        return self.W_O(merge_heads(torch.cat(rows, dim=-2))), (K, V)
