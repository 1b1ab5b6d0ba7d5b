"""The weights are used as matrices: X @ W_Q.weight.T."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q = X @ self.W_Q.weight.T
        K = X @ self.W_K.weight.T
        V = F.linear(X, self.W_V.weight)
        return scaled_dot_product_attention(Q, K, V, allowed)
