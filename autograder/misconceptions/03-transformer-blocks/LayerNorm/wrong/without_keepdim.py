"""The statistics have lost the last axis, so they line up with the wrong axis of X, if at all.
Write the shapes of X and of the mean beside each other."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1)
        variance = X.var(dim=-1, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
