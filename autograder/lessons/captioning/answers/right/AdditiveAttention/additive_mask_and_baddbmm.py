"""A mask of numbers is added, and baddbmm makes the context."""
class AdditiveAttention(nn.Module):
    def __init__(self, state_width, feature_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state, features, allowed=None):
        B, N, D = features.shape
        projected = F.linear(features.reshape(B * N, D), self.U.weight).reshape(B, N, -1)
        E = F.linear(torch.tanh(projected + self.W(state).reshape(B, 1, -1)), self.v.weight).reshape(B, N)
        if allowed is not None:
            hidden = 1.0 - allowed.to(E.dtype)
            E = E - 1e9 * hidden
        A = E.softmax(dim=-1)
        if allowed is not None:
            A = A * allowed.to(A.dtype)
        start = features.new_zeros(B, 1, D)
        context = torch.baddbmm(start, A.unsqueeze(1), features)
        return context[:, 0], A
