"""There are two layers in place of one with two outputs."""


class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.first = nn.Linear(model_width, 1)
        self.last = nn.Linear(model_width, 1)

    def forward(self, Y, allowed=None):
        scores = torch.cat((self.first(Y), self.last(Y)), -1)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], -torch.inf)
        start, end = scores.unbind(-1)
        return start, end
