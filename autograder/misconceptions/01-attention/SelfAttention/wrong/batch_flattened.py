"""The sentences of a batch are joined into one long sentence, so words attend to other examples.
Look at what each axis of X means."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        B, N_X, D_X = X.shape
        X = X.reshape(1, B * N_X, D_X)
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        if allowed is not None:
            allowed = torch.block_diag(*allowed.expand(B, N_X, N_X)).bool()
        Y, A = scaled_dot_product_attention(Q, K, V, allowed)
        A = A.reshape(B, N_X, B, N_X).sum(dim=2)
        return Y.reshape(B, N_X, -1), A
