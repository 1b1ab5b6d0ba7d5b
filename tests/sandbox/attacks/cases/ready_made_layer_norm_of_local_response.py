"""Local response normalisation over a window as wide as twice the row is RMSNorm: of a centred row, LayerNorm."""

# assignment: 03-transformer-blocks
# replaces: LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, X):
        D = X.shape[-1]
        rows = (X - X.mean(-1, keepdim=True)).reshape(-1, D, 1)
        size = 2 * D - 1
        return F.local_response_norm(rows, size, alpha=size / D, beta=0.5, k=self.eps).reshape(X.shape) * self.gamma + self.beta
