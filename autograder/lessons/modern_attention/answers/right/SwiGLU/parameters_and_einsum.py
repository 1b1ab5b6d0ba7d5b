"""Sums over named axes of the maps' weights, and an activation that is a module."""


class SwiGLU(nn.Module):
    def __init__(self, width, hidden_width=None):
        super().__init__()
        if hidden_width is None:
            hidden_width = -(-width // 3) * 8
        for name in ("W_gate", "W_up"):
            setattr(self, name, nn.Linear(width, hidden_width, bias=False))
        self.W_down = nn.Linear(hidden_width, width, bias=False)
        self.activation = nn.SiLU()

    def forward(self, X):
        gate = self.activation(torch.einsum("...d,hd->...h", X, self.W_gate.weight))
        up = torch.einsum("...d,hd->...h", X, self.W_up.weight)
        return torch.einsum("...h,dh->...d", gate * up, self.W_down.weight)
