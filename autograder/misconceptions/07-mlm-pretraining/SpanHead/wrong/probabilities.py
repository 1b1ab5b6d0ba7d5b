"""A softmax is applied. The loss does it; return the scores."""


class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        scores = self.output(Y)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], -torch.inf)
        start, end = scores.unbind(-1)
        return start.softmax(-1), end.softmax(-1)
