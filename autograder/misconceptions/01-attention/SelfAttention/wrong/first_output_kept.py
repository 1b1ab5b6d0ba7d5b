"""The result of the first call is kept and returned again for inputs of the same shape. Look for
anything that is stored on self in forward."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)
        self.kept = None

    def forward(self, X, allowed=None):
        if self.kept is None or self.kept[0].shape[:2] != X.shape[:2] or allowed is not None:
            Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
            self.kept = scaled_dot_product_attention(Q, K, V, allowed)
        return self.kept
