"""The change as a matrix, made in every call."""


class LoRALinear(nn.Module):
    def __init__(self, D_in, D_out, rank, alpha):
        super().__init__()
        self.rank, self.alpha = rank, alpha
        self.A = nn.Parameter(0.02 * torch.randn(rank, D_in))
        self.B = nn.Parameter(torch.zeros(D_out, rank))
        self.W = nn.Linear(D_in, D_out, bias=False)
        for parameter in self.W.parameters():
            parameter.requires_grad = False

    def forward(self, X):
        return F.linear(X, self.W.weight + self.alpha / self.rank * self.B @ self.A)
