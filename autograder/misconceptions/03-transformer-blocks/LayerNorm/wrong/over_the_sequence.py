"""Every feature is normalised over the positions of the sequence. Look at which axis belongs to one
vector."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-2, keepdim=True)
        variance = X.var(dim=-2, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
