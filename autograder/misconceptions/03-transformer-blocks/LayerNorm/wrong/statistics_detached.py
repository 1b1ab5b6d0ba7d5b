"""Mean and variance are treated as constants in the backward pass, so the values are right and the
gradient of X is not. Look for detach, .data, .item() or no_grad."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        with torch.no_grad():
            mean = X.mean(dim=-1, keepdim=True)
            variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
