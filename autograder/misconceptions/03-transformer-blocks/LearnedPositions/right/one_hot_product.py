"""Odd: the rows are chosen by a product with a part of the identity matrix."""


class LearnedPositions(nn.Module):
    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(nn.init.trunc_normal_(torch.zeros(max_length, width), std=0.02))

    def forward(self, X):
        N, rows = X.shape[1], self.table.shape[0]
        if not N <= rows:
            raise ValueError("N > max_length")
        choose = torch.eye(N, rows, dtype=self.table.dtype, device=self.table.device)
        return X + torch.einsum("nm,md->nd", choose, self.table)
