"""The factor in a buffer, which moves with the module; as float32, like every tensor that nothing else is said of."""


class LoRALinear(nn.Module):
    def __init__(self, D_in, D_out, rank, alpha):
        super().__init__()
        self.W = nn.Linear(D_in, D_out, bias=False).requires_grad_(False)
        self.A = nn.Parameter(torch.empty(rank, D_in).normal_(std=0.01))
        self.B = nn.Parameter(torch.zeros(D_out, rank))
        self.register_buffer("scale", torch.tensor(alpha / rank), persistent=False)

    def forward(self, X):
        return self.W(X) + self.scale * F.linear(F.linear(X, self.A), self.B)
