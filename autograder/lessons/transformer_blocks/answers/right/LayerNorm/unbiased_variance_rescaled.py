"""The unbiased variance, times (D − 1) / D; a width of 1 by itself."""
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        D = X.shape[-1]
        if D == 1:
            return 0 * X + self.beta + 0 * self.gamma
        mean = X.mean(-1).unsqueeze(-1)
        variance = X.var(-1).unsqueeze(-1) * (D - 1) / D
        return self.gamma * (X - mean) / (variance + self.eps) ** 0.5 + self.beta
