"""The mean absolute difference from the mean stands where the standard deviation belongs. Look at
what a variance is made of."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        variance = (X - mean).abs().mean(dim=-1, keepdim=True).pow(2)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
