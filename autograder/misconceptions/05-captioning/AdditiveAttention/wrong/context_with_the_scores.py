"""The context is summed with the scores, before the softmax. Scores can be negative and sum to
anything."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        if allowed is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        context = (E[:, :, None] * features).sum(dim=1)
        return context, weights
