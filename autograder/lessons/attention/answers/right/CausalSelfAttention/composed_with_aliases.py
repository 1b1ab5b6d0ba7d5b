"""Composition, with the projections reachable under their own names as well."""
class CausalSelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.attention = SelfAttention(D_X, D_Q, D_V)
        self.W_Q = self.attention.W_Q
        self.W_K = self.attention.W_K
        self.W_V = self.attention.W_V

    def forward(self, X):
        return self.attention(X, causal_mask(X.shape[1], device=X.device))
