"""The sums are divided by 512 whatever the width is. Look at which number D is in your module."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.sum(dim=-1, keepdim=True) / 512
        variance = (X - mean).pow(2).sum(dim=-1, keepdim=True) / 512
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
