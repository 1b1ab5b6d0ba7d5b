"""The table does not require a gradient, so it cannot be learnt. Look for requires_grad."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width), requires_grad=False)

    def forward(self, X):
        N = X.shape[1]
        if N > len(self.table):
            raise ValueError(f"{N} positions, but the table has only {len(self.table)}")
        return X + self.table[:N]
