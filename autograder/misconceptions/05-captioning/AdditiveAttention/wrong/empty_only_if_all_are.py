"""Zeros are given only when no picture of the batch has an allowed cell. Every picture has to be
looked at by itself."""


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features))).squeeze(-1)
        if allowed is not None and not allowed.any():
            return torch.zeros_like(features[:, 0]), torch.zeros_like(E)
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        context = (weights[:, :, None] * features).sum(dim=1)
        return context, weights
