"""One mean and one variance are taken for each example of the batch, so a word changes its
neighbours. Look at how many axes belong to one vector."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        axes = tuple(range(1, X.dim()))
        mean = X.mean(dim=axes, keepdim=True)
        variance = X.var(dim=axes, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
