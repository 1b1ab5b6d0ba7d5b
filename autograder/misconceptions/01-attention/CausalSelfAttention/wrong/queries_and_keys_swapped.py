"""Queries and keys have changed places, so every word looks at those that should look at it. Look
at which matrix makes which of Q and K, and at the order of the arguments of
scaled_dot_product_attention."""


class CausalSelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X):
        allowed = causal_mask(X.shape[1], device=X.device)
        Q, K, V = self.W_K(X), self.W_Q(X), self.W_V(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
