"""Composition: a SelfAttention inside."""


class CausalSelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.attention = SelfAttention(D_X, D_Q, D_V)

    def forward(self, X):
        N_X = X.shape[1]
        return self.attention(X, allowed=causal_mask(N_X, N_X, device=X.device))
