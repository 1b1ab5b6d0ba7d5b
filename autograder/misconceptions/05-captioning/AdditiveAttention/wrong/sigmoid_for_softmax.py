"""Each cell has a weight by itself, between 0 and 1, and the weights of a picture do not sum to 1.
The cells should share one whole."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        weights = torch.sigmoid(E)
        if allowed is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
