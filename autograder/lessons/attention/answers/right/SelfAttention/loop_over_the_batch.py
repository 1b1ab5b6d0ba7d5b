"""A loop over the examples of the batch."""
class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        B, N_X, _ = X.shape
        masks = [None] * B if allowed is None else allowed.expand(B, N_X, N_X)
        outputs, weights = [], []
        for x, mask in zip(X, masks):
            Y, A = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
            outputs.append(Y)
            weights.append(A)
        return torch.stack(outputs), torch.stack(weights)
