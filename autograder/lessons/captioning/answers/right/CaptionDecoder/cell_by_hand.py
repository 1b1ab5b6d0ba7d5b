"""The GRU's equations written out, and the two halves of the output apart."""
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
        x = torch.cat([self.embedding(words), context], dim=1)
        r, z, n = F.linear(x, self.cell.weight_ih, self.cell.bias_ih).chunk(3, dim=1)
        hr, hz, hn = F.linear(state, self.cell.weight_hh, self.cell.bias_hh).chunk(3, dim=1)
        r, z = torch.sigmoid(r + hr), torch.sigmoid(z + hz)
        state = (1 - z) * torch.tanh(n + r * hn) + z * state
        S = state.shape[1]
        W, b = self.output.weight, self.output.bias
        return (
            torch.einsum("bs,vs->bv", state, W[:, :S]) + torch.einsum("bd,vd->bv", context, W[:, S:]) + b,
            state,
            weights,
        )

    def forward(self, features, captions, allowed=None):
        state, found = self.first_state(features, allowed), []
        for words in captions.T:
            (*result,) = self.step(words, state, features, allowed)
            state = result.pop(1)
            found.append(result)
        logits, weights = zip(*found)
        return torch.stack(logits, 1), torch.stack(weights, 1)
