"""Split first, then mask each."""
class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        start, end = (part.squeeze(-1) for part in self.output(Y).split(1, dim=-1))
        if allowed is None:
            return start, end
        low = torch.full_like(start, -1e9)
        return torch.where(allowed, start, low), torch.where(allowed, end, low)
