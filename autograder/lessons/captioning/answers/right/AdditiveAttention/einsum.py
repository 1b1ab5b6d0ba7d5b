"""einsum with the weights of the layers, -inf, and rows without an allowed cell kept out of the
softmax."""
class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        hidden = torch.einsum("hs,bs->bh", self.W.weight, state).unsqueeze(1)
        hidden = hidden + torch.einsum("hd,bnd->bnh", self.U.weight, features)
        scores = torch.einsum("h,bnh->bn", self.v.weight[0], hidden.tanh())
        if allowed is None:
            weights = scores.softmax(1)
        else:
            some = allowed.any(1, keepdim=True)
            weights = scores.masked_fill(some & ~allowed, float("-inf")).softmax(1) * some
        return torch.einsum("bn,bnd->bd", weights, features), weights
