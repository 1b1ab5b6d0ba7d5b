"""A helper function, and operations in place on tensors of its own."""
def _centred(X):
    return X - X.mean(dim=-1, keepdim=True)


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.empty(width))
        self.beta = nn.Parameter(torch.empty(width))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.gamma)
        nn.init.zeros_(self.beta)

    def forward(self, X):
        Y = _centred(X)
        scale = Y.pow(2).mean(dim=-1, keepdim=True).add_(self.eps).rsqrt()
        Y = Y * scale
        Y = Y.mul(self.gamma).add_(self.beta)
        return Y
