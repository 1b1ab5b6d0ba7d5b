"""The scores of hidden cells are set to 0, or to something near it, such as -1e-9. 0 is a score
like any other, and its exponential is 1. Which score has the exponential 0?"""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        if allowed is not None:
            E = E * allowed
        weights = torch.softmax(E, dim=-1)
        if allowed is not None:
            weights = weights * allowed.any(dim=-1, keepdim=True)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
