"""Every feature is normalised over the batch, so the examples of a batch change each other. Look at
which axis belongs to one vector."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=0, keepdim=True)
        variance = X.var(dim=0, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
