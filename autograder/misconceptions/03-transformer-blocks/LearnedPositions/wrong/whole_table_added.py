"""The whole table is added, which fits only a sequence of the full length. Look at how many rows a
sequence of N needs."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))

    def forward(self, X):
        N = X.shape[1]
        if N > len(self.table):
            raise ValueError(f"{N} positions, but the table has only {len(self.table)}")
        return X + self.table
