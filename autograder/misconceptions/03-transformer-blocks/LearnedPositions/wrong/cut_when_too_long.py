"""A sequence that is too long is cut without a word. Look at what the exercise asks for when N is
too large."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))

    def forward(self, X):
        X = X[:, : len(self.table)]
        return X + self.table[: X.shape[1]]
