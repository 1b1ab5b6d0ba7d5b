"""X is multiplied by W_Q.weight as it is stored, but nn.Linear stores the transpose of W. Look at
the shape of W_Q.weight."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = X @ self.W_Q.weight, X @ self.W_K.weight, X @ self.W_V.weight
        return scaled_dot_product_attention(Q, K, V, allowed)
