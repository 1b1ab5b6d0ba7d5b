"""The similarities are divided by √D_X instead of √D_Q. Look at the width of the vectors in the dot
product."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        E = Q @ K.mT / math.sqrt(X.shape[-1])
        if allowed is not None:
            E = E.masked_fill(~allowed, -torch.inf)
        A = torch.softmax(E, dim=-1).nan_to_num(0.0)
        return A @ V, A
