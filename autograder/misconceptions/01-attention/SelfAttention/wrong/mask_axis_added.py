"""An axis is put into every mask, so a mask that already has the right shape no longer fits. Look
at what broadcasting does by itself."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        if allowed is not None:
            allowed = allowed.unsqueeze(1)
        return scaled_dot_product_attention(Q, K, V, allowed)
