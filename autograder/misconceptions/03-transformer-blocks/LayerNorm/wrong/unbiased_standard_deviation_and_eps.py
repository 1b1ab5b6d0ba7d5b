"""The unbiased standard deviation is taken and ε is added to it, so both the divisor of the
variance and the place of ε differ. Look at what stands under the root."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        sigma = X.std(dim=-1, keepdim=True)
        return (X - mean) / (sigma + self.eps) * self.gamma + self.beta
