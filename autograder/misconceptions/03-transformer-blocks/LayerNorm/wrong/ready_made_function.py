"""PyTorch's own layer_norm does the work. Look at the list of functions that this lesson
forbids."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        return F.layer_norm(X, X.shape[-1:], self.gamma, self.beta, self.eps)
