"""The softmax is written out: exponentials, masked, divided by their sum or by 1."""
class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        E = (torch.tanh(self.W(state)[:, None] + self.U(features)) * self.v.weight).sum(-1)
        if allowed is None:
            allowed = torch.ones_like(E, dtype=torch.bool)
        largest = torch.where(allowed, E, -1e30).amax(dim=1, keepdim=True)
        exponentials = torch.where(allowed, torch.exp(torch.where(allowed, E - largest, 0.0)), 0.0)
        total = exponentials.sum(dim=1, keepdim=True)
        weights = exponentials / torch.where(total > 0, total, 1.0)
        return torch.matmul(weights.unsqueeze(1), features).squeeze(1), weights
