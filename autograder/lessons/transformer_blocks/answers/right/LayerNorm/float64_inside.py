"""Computed in float64 and cast back at the end."""
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones((width,)))
        self.beta = nn.Parameter(torch.zeros((width,)))

    def forward(self, X):
        Z = X.double()
        Z = Z - Z.mean(-1, True)
        Z = Z / (Z.var(-1, correction=0, keepdim=True) + self.eps).sqrt()
        return (Z * self.gamma + self.beta).to(X.dtype)
