"""The mean is subtracted from X in place, so the input of the caller is changed. Look at which line
writes into an argument instead of making a new tensor."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        X -= X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return X / torch.sqrt(variance + self.eps) * self.gamma + self.beta
