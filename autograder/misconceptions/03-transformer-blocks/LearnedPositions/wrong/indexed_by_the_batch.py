"""The row is chosen by the number of the example in the batch, so all positions of an example get
the same one. Look at which axis of X counts positions."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))

    def forward(self, X):
        N = X.shape[0]
        if N > len(self.table):
            raise ValueError(f"{N} positions, but the table has only {len(self.table)}")
        return X + self.table[:N, None]
