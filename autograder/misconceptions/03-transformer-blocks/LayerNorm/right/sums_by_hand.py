"""Sums divided by the width, and the inverse root."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.width, self.eps = width, eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        difference = X - X.sum(-1, keepdim=True) / self.width
        variance = (difference * difference).sum(-1, keepdim=True) / self.width
        return self.beta + self.gamma * difference * (variance + self.eps).rsqrt()
