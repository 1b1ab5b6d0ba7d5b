"""The states and contexts of all steps are collected, the logits made at the end; embeddings looked
up at once."""
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

    def advance(self, embedded, state, features, allowed):
        context, weights = self.attention(state, features, allowed)
        state = self.cell(torch.cat((embedded, context), 1), state)
        return torch.cat((state, context), 1), state, weights

    def step(self, words, state, features, allowed=None):
        both, state, weights = self.advance(self.embedding(words), state, features, allowed)
        return self.output(both), state, weights

    def forward(self, features, captions, allowed=None):
        embedded, state = self.embedding(captions), self.first_state(features, allowed)
        collected, weights = [], []
        for t in range(embedded.size(1)):
            both, state, A = self.advance(embedded[:, t], state, features, allowed)
            collected.append(both[:, None])
            weights.append(A[:, None])
        return self.output(torch.cat(collected, 1)), torch.cat(weights, 1)
