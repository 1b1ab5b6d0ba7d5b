"""The weights made with torch.empty and filled by nn.init, both maps by F.linear, the frozen one made by no_grad."""


class LoRALinear(nn.Module):
    def __init__(self, D_in, D_out, rank, alpha):
        super().__init__()
        self.alpha, self.rank = alpha, rank
        self.W = nn.Linear(D_in, D_out, False)
        self.W.weight.requires_grad = False
        self.A = nn.Parameter(torch.empty(rank, D_in))
        self.register_parameter("B", nn.Parameter(torch.zeros((D_out, rank))))
        nn.init.normal_(self.A, std=D_in**-0.5)

    def forward(self, X):
        change = F.linear(F.linear(X, self.A), self.B)
        return F.linear(X, self.W.weight) + change.mul(self.alpha).div(self.rank)
