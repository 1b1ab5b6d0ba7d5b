"""The SiLU written out, and the hidden width in whole numbers."""


class SwiGLU(nn.Module):
    def __init__(self, width, hidden_width=None):
        super().__init__()
        hidden = hidden_width or (8 * width + 23) // 24 * 8
        self.W_gate, self.W_up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.W_down = nn.Linear(hidden, width, bias=False)

    def forward(self, X):
        z = self.W_gate(X)
        return self.W_down(z * torch.sigmoid(z) * self.W_up(X))
