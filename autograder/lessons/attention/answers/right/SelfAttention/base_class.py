"""Odd: the projections come from a base class, forward from a mixin with its own helper."""
class _Projections(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)


class _Attends:
    def project(self, X):
        return self.W_Q(X), self.W_K(X), self.W_V(X)

    def forward(self, X, allowed=None):
        return scaled_dot_product_attention(*self.project(X), allowed)


class SelfAttention(_Attends, _Projections):
    """Self-attention."""
