"""ε is always 0.00001, whatever was passed for it. Look at where the argument goes."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + 1e-5) * self.gamma + self.beta
