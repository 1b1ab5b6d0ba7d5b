"""The result is float32 whatever the dtype of the input. Look for a conversion, and compare the
dtype that goes in with the one that comes out."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        X = X.float()
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma.float() + self.beta.float()
