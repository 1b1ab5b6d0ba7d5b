"""A mask of 0 and −∞ is added, and the columns are transposed to the front."""
class SpanHead(nn.Module):
    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        scores = self.output(Y)
        if allowed is not None:
            hidden = torch.zeros(allowed.shape, dtype=scores.dtype).masked_fill(allowed.logical_not(), float("-inf"))
            scores = scores + hidden.unsqueeze(-1)
        return tuple(scores.movedim(-1, 0))
