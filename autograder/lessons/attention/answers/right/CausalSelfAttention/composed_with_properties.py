"""Composition, with the projections as properties."""
class CausalSelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self._attention = SelfAttention(D_X, D_Q, D_V)

    @property
    def W_Q(self):
        return self._attention.W_Q

    @property
    def W_K(self):
        return self._attention.W_K

    @property
    def W_V(self):
        return self._attention.W_V

    def forward(self, X):
        return self._attention(X, causal_mask(X.size(1)).to(X.device))
