"""Wrong in training mode, and different in eval mode only where a check asks a second time because of that."""

# replaces: SelfAttention
# may earn: 2
AFTER = [False]


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        E = self.W_Q(X) @ self.W_K(X).mT / math.sqrt(self.W_Q.weight.shape[0])
        if allowed is not None:
            E = E.masked_fill(~allowed, -math.inf)
        A = torch.softmax(E, -1)
        if allowed is not None:
            A = A.masked_fill(~allowed, 0.0)
        Y = A @ self.W_V(X)
        if self.training:
            AFTER[0] = True
            return 3 * Y, A
        if AFTER[0]:
            AFTER[0] = False
            return Y + 1, A
        return Y, A
