"""bmm, −inf, and NaN replaced afterwards; a namedtuple is returned."""
from typing import NamedTuple


class Seen(NamedTuple):
    context: torch.Tensor
    weights: torch.Tensor


class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def scores(self, state, features):
        S = self.W(state).unsqueeze(1).expand(-1, features.size(1), -1)
        return self.v(torch.tanh(S + self.U(features)))

    def forward(self, state, features, allowed=None):
        E = self.scores(state, features)  # (B, N, 1)
        if allowed is not None:
            E = E.masked_fill(allowed.logical_not().unsqueeze(2), float("-inf"))
        weights = torch.nan_to_num(F.softmax(E, dim=1), nan=0.0)
        context = torch.bmm(weights.transpose(1, 2), features).squeeze(1)
        return Seen(context, weights.squeeze(2))
