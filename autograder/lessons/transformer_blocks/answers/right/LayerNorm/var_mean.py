"""torch.var_mean with a correction of 0, and addcmul."""
class LayerNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.register_parameter("beta", nn.Parameter(torch.zeros(width)))
        self.register_parameter("gamma", nn.Parameter(torch.ones(width)))
        self.eps = eps

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        variance, mean = torch.var_mean(X, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.beta, self.gamma, (X - mean) / (variance + self.eps).sqrt())
