"""Writes to stdout and to stderr and warns."""
import sys
import warnings


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
        state = self.cell(torch.cat([self.embedding(words), context], dim=-1), state)
        logits = self.output(torch.cat([state, context], dim=-1))
        return logits, state, weights

    def forward(self, features, captions, allowed=None):
        state = self.first_state(features, allowed)
        print("features", tuple(features.shape))
        print("captions", tuple(captions.shape), file=sys.stderr)
        if captions.shape[1] > 5:
            warnings.warn("long captions", stacklevel=2)
        all_logits, all_weights = [], []
        for t in range(captions.shape[1]):
            logits, state, weights = self.step(captions[:, t], state, features, allowed)
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)
