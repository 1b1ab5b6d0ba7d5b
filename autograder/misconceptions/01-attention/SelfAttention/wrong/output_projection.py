"""A fourth projection is applied to the output, which belongs to multi-head attention. Look at how
many matrices the equations name."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)
        self.W_O = nn.Linear(D_V, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        Y, A = scaled_dot_product_attention(Q, K, V, allowed)
        return self.W_O(Y), A
