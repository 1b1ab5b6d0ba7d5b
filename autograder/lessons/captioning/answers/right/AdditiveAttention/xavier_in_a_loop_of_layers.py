"""Layers made in a loop with another initialisation; permute; keyword arguments; a list is
returned."""
class AdditiveAttention(nn.Module):
    """Bahdanau's attention over the cells of a grid."""

    def __init__(self, state_width: int, feature_width: int, hidden_width: int) -> None:
        super().__init__()
        for name, rows, columns in (
            ("U", feature_width, hidden_width),
            ("W", state_width, hidden_width),
            ("v", hidden_width, 1),
        ):
            layer = nn.Linear(in_features=rows, out_features=columns, bias=False)
            nn.init.xavier_uniform_(layer.weight)
            self.add_module(name, layer)

    def forward(self, state, features, allowed=None):
        hidden = self.U(features).permute(1, 0, 2)
        hidden += self.W(state)
        E = self.v(hidden.tanh_()).squeeze(2).t()
        weights = torch.softmax(E if allowed is None else torch.where(allowed, E, E.new_tensor(-1e9)), dim=1)
        if allowed is not None:
            weights = torch.where(allowed, weights, torch.zeros_like(weights))
        return [torch.sum(features * weights.unsqueeze(-1), dim=-2), weights]
