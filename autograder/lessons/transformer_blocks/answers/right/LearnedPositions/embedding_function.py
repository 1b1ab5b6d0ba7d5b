"""F.embedding, and the table made in reset_parameters."""
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_length, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.table, std=0.02)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        if X.size(1) > self.table.size(0):
            raise ValueError(f"at most {self.table.size(0)} positions, got {X.size(1)}")
        return F.embedding(torch.arange(X.size(1), device=X.device), self.table).add(X)
