"""einsum with the weights themselves."""
class AdditiveScores(nn.Module):
    def __init__(self, state_width, memory_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(memory_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, states, memory):
        queries = torch.einsum("bts,hs->bth", states, self.W.weight)
        keys = torch.einsum("bnm,hm->bnh", memory, self.U.weight)
        return torch.einsum("btnh,h->btn", torch.tanh(queries[:, :, None, :] + keys[:, None, :, :]), self.v.weight[0])
