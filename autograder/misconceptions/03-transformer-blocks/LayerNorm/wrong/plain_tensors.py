"""γ and β are plain tensors, so the module has no parameters and nothing can be learnt. Look at
what parameters() of your module holds."""


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = torch.ones(width, requires_grad=True)
        self.beta = torch.zeros(width, requires_grad=True)

    def forward(self, X):
        mean = X.mean(dim=-1, keepdim=True)
        variance = X.var(dim=-1, keepdim=True, unbiased=False)
        return (X - mean) / torch.sqrt(variance + self.eps) * self.gamma + self.beta
