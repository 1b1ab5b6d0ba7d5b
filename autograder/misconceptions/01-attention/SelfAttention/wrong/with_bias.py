"""The projections have a bias. Look at the argument of nn.Linear that adds one unless told
otherwise."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q)
        self.W_K = nn.Linear(D_X, D_Q)
        self.W_V = nn.Linear(D_X, D_V)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
