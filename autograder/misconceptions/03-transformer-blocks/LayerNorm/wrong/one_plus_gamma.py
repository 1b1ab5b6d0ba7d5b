"""The factor is 1 + γ, with a γ that starts at 0. Look at what γ starts with, and at the
equation."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.zeros(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * (1 + self.gamma) + self.beta
