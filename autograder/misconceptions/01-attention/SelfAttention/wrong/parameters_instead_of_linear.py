"""W_Q, W_K and W_V are bare parameters instead of nn.Linear, so there is no W_Q.weight. Look at
what kind of module the exercise asks for."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(D_X, D_Q) / math.sqrt(D_X))
        self.W_K = nn.Parameter(torch.randn(D_X, D_Q) / math.sqrt(D_X))
        self.W_V = nn.Parameter(torch.randn(D_X, D_V) / math.sqrt(D_X))

    def forward(self, X, allowed=None):
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        return scaled_dot_product_attention(Q, K, V, allowed)
