"""All leading axes are flattened into rows and restored at the end."""
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        rows = X.reshape(-1, X.shape[-1])
        mean = torch.mean(rows, dim=1)
        rows = rows - mean[:, None]
        variance = torch.mean(rows**2, dim=1)
        rows = rows / torch.sqrt(variance[:, None] + self.eps)
        return (rows * self.gamma + self.beta).reshape(X.shape)
