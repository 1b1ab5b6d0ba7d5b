"""W_c cut into its two parts, and the forward walked from the end of a list."""
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

    def step(self, words, state, memory, allowed=None):
        new = self.cell(self.embedding(words), state)
        similarities = self.scores(new[:, None], memory).squeeze(1)
        if allowed is not None:
            similarities = torch.where(allowed, similarities, similarities.new_tensor(-1e9))
        weights = similarities.softmax(dim=1)
        context = torch.einsum("bn,bnm->bm", weights, memory)
        of_context, of_state = self.combine.weight.split([memory.shape[2], new.shape[1]], dim=1)
        return self.output(torch.tanh(context @ of_context.T + new @ of_state.T)), new, weights

    def forward(self, memory, words, allowed=None):
        steps, state = [], self.first_state(memory, allowed)
        for t in range(words.shape[1]):
            steps.append(self.step(words[:, t], state, memory, allowed))
            state = steps[-1][1]
        return torch.stack([step[0] for step in steps], 1), torch.stack([step[2] for step in steps], 1)
