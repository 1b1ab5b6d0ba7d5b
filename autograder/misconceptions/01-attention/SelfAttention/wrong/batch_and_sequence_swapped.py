"""Words attend across the batch, to the word at the same place in other sentences. Look at what
each axis of X means."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        X = X.transpose(0, 1)
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        Y, A = scaled_dot_product_attention(Q, K, V)
        return Y.transpose(0, 1), A
