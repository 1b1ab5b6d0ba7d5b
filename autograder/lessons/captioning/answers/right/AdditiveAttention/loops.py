"""Python loops over pictures and cells, with lists."""
class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.v = nn.Linear(hidden_width, 1, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.W = nn.Linear(state_width, hidden_width, bias=False)

    def forward(self, state, features, allowed=None):
        contexts, rows = [], []
        for b in range(features.shape[0]):
            weights = self.one(state[b], features[b], None if allowed is None else allowed[b])
            context = 0.0
            for i, weight in enumerate(weights):
                context = context + weight * features[b, i]
            contexts.append(context)
            rows.append(weights)
        return torch.stack(contexts), torch.stack(rows)

    def one(self, s, H, allowed):
        scores = torch.cat([self.v(torch.tanh(self.W(s) + self.U(h))) for h in H])
        if allowed is None:
            return torch.softmax(scores, dim=0)
        weights = torch.zeros_like(scores)
        if allowed.any():
            weights[allowed] = torch.softmax(scores[allowed], dim=0)
        return weights
