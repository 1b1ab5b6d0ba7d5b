"""The table is a buffer, so no optimiser will ever change it. Look at what parameters() of your
module holds."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.register_buffer("table", 0.02 * torch.randn(max_length, width))

    def forward(self, X):
        N = X.shape[1]
        if N > len(self.table):
            raise ValueError(f"{N} positions, but the table has only {len(self.table)}")
        return X + self.table[:N]
