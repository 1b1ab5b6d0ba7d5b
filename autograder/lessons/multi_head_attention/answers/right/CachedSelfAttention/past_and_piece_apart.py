"""Odd: similarities to the past and within the piece are computed apart and joined."""
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
        N, scale = X.shape[1], math.sqrt(Q.shape[-1])
        future = torch.ones(N, N, dtype=torch.bool, device=X.device).triu(1)
        E = (Q @ K.mT / scale).masked_fill(future, -torch.inf)
        if cache is not None:
            E = torch.cat([Q @ cache[0].mT / scale, E], dim=-1)
            K = torch.cat([cache[0], K], dim=-2)
            V = torch.cat([cache[1], V], dim=-2)
        Y = torch.einsum("bhqk,bhkd->bqhd", E.softmax(-1), V).flatten(2)
        return self.W_O(Y), (K, V)
