"""The padding reversed out of the way: each direction runs over sentences that begin at their first place."""
class RecurrentEncoder(nn.Module):
    def __init__(self, vocab_size, embedding_width, state_width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.gru = nn.GRU(embedding_width, state_width, batch_first=True, bidirectional=True)

    def forward(self, source, lengths):
        N = source.shape[1]
        places = torch.arange(N, device=source.device)
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)      # its own inverse
        X = self.embedding(source)
        ahead = self.one_way(X, "")
        back = self.one_way(X[torch.arange(len(X))[:, None], turned], "_reverse")
        states = torch.cat((ahead, back[torch.arange(len(X))[:, None], turned]), dim=2)
        return states * (places < lengths[:, None])[:, :, None]

    def one_way(self, X, name):
        W, U, b, c = (getattr(self.gru, f"{kind}_l0{name}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        state, states = X.new_zeros(len(X), self.gru.hidden_size), []
        for x in X.unbind(1):
            state = torch.gru_cell(x, state, W, U, b, c)
            states.append(state)
        return torch.stack(states, dim=1)
