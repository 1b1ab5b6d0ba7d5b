"""Results made beforehand and filled in; hstack for cat."""
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
        context, weights = self.attention(state, features, allowed=allowed)
        new = self.cell(torch.hstack((self.embedding(words), context)), state)
        return self.output(torch.hstack((new, context))), new, weights

    def forward(self, features, captions, allowed=None):
        (B, N, _), T = features.shape, captions.shape[1]
        logits = features.new_empty(B, T, self.output.out_features)
        weights = features.new_zeros(B, T, N)
        state = self.first_state(features, allowed=allowed)
        for t, words in enumerate(captions.unbind(1)):
            logits[:, t], state, weights[:, t] = self.step(words, state, features, allowed)
        return logits, weights
