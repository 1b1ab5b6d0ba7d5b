"""Hidden scores get only 100 less, which large scores make up for. Fill with −inf."""


class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        scores = self.output(Y)
        if allowed is not None:
            scores = scores - 100.0 * (~allowed)[..., None]
        start, end = scores.unbind(-1)
        return start, end
