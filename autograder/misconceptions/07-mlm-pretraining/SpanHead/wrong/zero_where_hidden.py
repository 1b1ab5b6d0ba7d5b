"""Hidden scores are set to 0, which is not low: softmax gives them weight. Fill with −inf."""


class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        scores = self.output(Y)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], 0.0)
        start, end = scores.unbind(-1)
        return start, end
