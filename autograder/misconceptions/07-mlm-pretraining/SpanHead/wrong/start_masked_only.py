"""Only the scores of the start are masked, not those of the end."""


class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        scores = self.output(Y)
        if allowed is not None:
            start, end = scores.unbind(-1)
            return start.masked_fill(~allowed, -torch.inf), end
        start, end = scores.unbind(-1)
        return start, end
