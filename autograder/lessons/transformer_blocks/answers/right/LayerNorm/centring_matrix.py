"""Odd: the mean is subtracted by a product with the matrix I − 1/D."""
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        D = X.shape[-1]
        centring = torch.eye(D, dtype=X.dtype, device=X.device) - 1 / D
        shifted = X - X[..., :1]
        centred = shifted @ centring
        sigma = (centred.square().sum(-1, keepdim=True) / D + self.eps).sqrt()
        return centred / sigma * self.gamma + self.beta
