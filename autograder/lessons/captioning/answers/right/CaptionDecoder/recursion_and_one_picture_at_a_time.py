"""Each picture by itself, by recursion, in a list of two."""
class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, feature_width, state_width=128, embedding_width=32, hidden_width=64):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.attention = AdditiveAttention(state_width, feature_width, hidden_width)
        self.start = nn.Linear(feature_width, state_width)
        self.cell = nn.GRUCell(embedding_width + feature_width, state_width)
        self.output = nn.Linear(state_width + feature_width, vocab_size)

    def first_state(self, features, allowed=None):
        if allowed is None:
            return torch.tanh(self.start(features.mean(dim=1)))
        shown = allowed[..., None].to(features.dtype)
        return torch.tanh(self.start((features * shown).sum(dim=1) / shown.sum(dim=1).clamp(min=1)))

    def step(self, words, state, features, allowed=None):
        context, weights = self.attention(state, features, allowed)
        state = self.cell(torch.cat([self.embedding(words), context], -1), state)
        return self.output(torch.cat([state, context], -1)), state, weights

    def rest(self, captions, state, features, allowed):
        if not captions.shape[1]:
            return [], []
        logits, state, weights = self.step(captions[:, 0], state, features, allowed)
        after = self.rest(captions[:, 1:], state, features, allowed)
        return [logits, *after[0]], [weights, *after[1]]

    def forward(self, features, captions, allowed=None):
        rows = []
        for b in range(len(features)):
            x, c = features[b : b + 1], captions[b : b + 1]
            m = None if allowed is None else allowed[b : b + 1]
            logits, weights = self.rest(c, self.first_state(x, m), x, m)
            rows.append((torch.cat(logits), torch.cat(weights)))
        return [torch.stack([row[0] for row in rows]), torch.stack([row[1] for row in rows])]
