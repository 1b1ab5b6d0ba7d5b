"""The start of the paper's own code, and sums over named axes."""


class LoRALinear(nn.Module):
    def __init__(self, D_in, D_out, rank, alpha):
        super().__init__()
        self.W = nn.Linear(D_in, D_out, bias=False).requires_grad_(False)
        self.A, self.B = nn.Parameter(torch.empty(rank, D_in)), nn.Parameter(torch.empty(D_out, rank))
        nn.init.kaiming_uniform_(self.A, a=5**0.5)
        nn.init.zeros_(self.B)
        self.scaling = alpha / rank

    def forward(self, X):
        low = torch.einsum("...i,ri->...r", X * self.scaling, self.A)
        return torch.einsum("...r,or->...o", low, self.B) + self.W(X)
