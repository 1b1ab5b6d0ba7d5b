"""The input must have exactly three axes. Look at which axes your code names: only the last one
matters."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        B, N, D = X.shape
        X = X.reshape(B * N, D)
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        Y = (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
        return Y.reshape(B, N, D)
