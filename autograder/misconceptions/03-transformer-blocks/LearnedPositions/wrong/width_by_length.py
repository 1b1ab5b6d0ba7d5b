"""The table holds one column for each position. Look at the shape that the exercise asks for."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(width, max_length))

    def forward(self, X):
        N = X.shape[1]
        if N > self.table.shape[1]:
            raise ValueError(f"{N} positions, but the table has only {self.table.shape[1]}")
        return X + self.table[:, :N].T
