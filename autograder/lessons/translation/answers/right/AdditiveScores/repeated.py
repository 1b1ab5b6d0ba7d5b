"""Both repeated to the full size, then one product with v."""
class AdditiveScores(nn.Module):
    def __init__(self, state_width, memory_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(memory_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, states, memory):
        (B, T, _), N = states.shape, memory.shape[1]
        queries = self.W(states).repeat_interleave(N, dim=1)
        keys = self.U(memory).repeat(1, T, 1)
        return self.v(torch.tanh(queries + keys)).reshape(B, T, N)
