"""All examples of a batch get the same output, the mean over the batch. Look for a mean whose axis
is the first."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        Y, A = scaled_dot_product_attention(Q, K, V, allowed)
        return Y.mean(dim=0, keepdim=True).expand_as(Y), A
