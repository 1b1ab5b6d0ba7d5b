"""No word may attend to itself: the diagonal is hidden. Look at the argument allowed: only it says
what is hidden."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        others = ~torch.eye(X.shape[1], dtype=torch.bool, device=X.device)
        allowed = others if allowed is None else allowed & others
        return scaled_dot_product_attention(Q, K, V, allowed)
