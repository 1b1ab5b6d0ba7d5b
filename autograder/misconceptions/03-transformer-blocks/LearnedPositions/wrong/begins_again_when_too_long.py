"""Positions beyond the table begin again at row 0 instead of raising an error. Look at what the
exercise asks for when N is too large."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))

    def forward(self, X):
        N = X.shape[1]
        return X + self.table[torch.arange(N, device=X.device) % len(self.table)]
