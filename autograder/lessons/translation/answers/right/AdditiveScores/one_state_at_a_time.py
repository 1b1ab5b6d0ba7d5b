"""A loop over the states, which keeps less memory at a time."""
class AdditiveScores(nn.Module):
    def __init__(self, state_width, memory_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(memory_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, states, memory):
        keys = self.U(memory)
        rows = [self.v((keys + self.W(state)[:, None]).tanh())[:, :, 0] for state in states.unbind(1)]
        return torch.stack(rows, 1)
