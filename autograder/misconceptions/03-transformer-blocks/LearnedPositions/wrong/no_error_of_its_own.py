"""A sequence that is too long fails somewhere inside PyTorch, or not at all for a table of one row.
Look at which error the exercise asks for."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))

    def forward(self, X):
        N = X.shape[1]
        return X + self.table[:N]
