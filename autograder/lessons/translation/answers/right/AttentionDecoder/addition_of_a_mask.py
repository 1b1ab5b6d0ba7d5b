"""A mask that is added, and the parts in functions of their own."""
class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, memory_width, state_width=128, embedding_width=64, hidden_width=64):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.start = nn.Linear(memory_width, state_width)
        self.cell = nn.GRUCell(embedding_width, state_width)
        self.scores = AdditiveScores(state_width, memory_width, hidden_width)
        self.combine = nn.Linear(memory_width + state_width, state_width, bias=False)
        self.output = nn.Linear(state_width, vocab_size)

    def first_state(self, memory, allowed=None):
        return torch.tanh(self.start(memory[:, 0]))

    def look(self, state, memory, allowed):
        E = self.scores(state.unsqueeze(1), memory)
        if allowed is not None:
            E = E + torch.zeros_like(E).masked_fill(allowed.logical_not()[:, None], -torch.inf)
        A = F.softmax(E, dim=2)
        return torch.bmm(A, memory).squeeze(1), A.squeeze(1)

    def step(self, words, state, memory, allowed=None):
        state = self.cell(self.embedding(words), state)
        context, weights = self.look(state, memory, allowed)
        return self.output(self.combine(torch.hstack((context, state))).tanh()), state, weights

    def forward(self, memory, words, allowed=None):
        state = self.first_state(memory, allowed)
        logits, weights = [], []
        for word in words.unbind(dim=1):
            one, state, looked = self.step(word, state, memory, allowed)
            logits += [one]
            weights += [looked]
        return torch.stack(logits, 1), torch.stack(weights, 1)
