"""The features of hidden cells are set to 0, and the cells still take part in the softmax. A cell
of zeros has a score too."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        if allowed is not None:
            features = features * allowed[:, :, None]
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        weights = torch.softmax(E, dim=-1)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
