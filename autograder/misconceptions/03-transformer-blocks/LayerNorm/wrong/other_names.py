"""The parameters have other names than gamma and beta. Look at the names the exercise gives them:
weights are loaded by name."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias
