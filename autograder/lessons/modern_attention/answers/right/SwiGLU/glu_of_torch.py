"""F.glu multiplies the first half by the sigmoid of the second; the factor of the SiLU is put into the first."""


class SwiGLU(nn.Module):
    def __init__(self, width, hidden_width=None):
        super().__init__()
        if hidden_width is None:
            hidden_width = width * 8 // 3
            while hidden_width % 8 or 3 * hidden_width < 8 * width:
                hidden_width += 1
        self.W_down = nn.Linear(hidden_width, width, bias=False)
        self.W_up = nn.Linear(width, hidden_width, bias=False)
        self.W_gate = nn.Linear(width, hidden_width, bias=False)

    def forward(self, X):
        gate, up = self.W_gate(X), self.W_up(X)
        return self.W_down(F.glu(torch.cat([gate * up, gate], dim=-1), dim=-1))
