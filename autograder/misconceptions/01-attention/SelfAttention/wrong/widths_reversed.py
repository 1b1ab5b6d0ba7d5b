"""The two widths of each nn.Linear are the wrong way round. Look at whether the width of the input
or of the output comes first."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_Q, D_X, bias=False)
        self.W_K = nn.Linear(D_Q, D_X, bias=False)
        self.W_V = nn.Linear(D_V, D_X, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
