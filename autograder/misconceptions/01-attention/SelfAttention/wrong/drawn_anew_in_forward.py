"""New projections are drawn in every call, so nothing can be learnt. Look at where the three
nn.Linear are made."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.D_X, self.D_Q, self.D_V = D_X, D_Q, D_V

    def forward(self, X, allowed=None):
        W_Q = nn.Linear(self.D_X, self.D_Q, bias=False).to(X)
        W_K = nn.Linear(self.D_X, self.D_Q, bias=False).to(X)
        W_V = nn.Linear(self.D_X, self.D_V, bias=False).to(X)
        Q, K, V = W_Q(X), W_K(X), W_V(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
