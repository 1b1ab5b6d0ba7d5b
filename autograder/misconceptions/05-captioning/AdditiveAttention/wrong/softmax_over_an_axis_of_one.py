"""The softmax runs over the last axis of v(…), which has length 1, so that every weight is 1. Write
the shapes beside the lines."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features)))
        if allowed is not None:
            E = E.masked_fill(~allowed[:, :, None], torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1).squeeze(-1)
        if allowed is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
