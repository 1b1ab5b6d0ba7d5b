"""Q, K and V are all made by one and the same matrix. Look at how many matrices the equations
name."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = self.W_Q
        self.W_V = self.W_Q if D_V == D_Q else nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q = self.W_Q(X)
        K = self.W_K(X)
        V = self.W_V(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
