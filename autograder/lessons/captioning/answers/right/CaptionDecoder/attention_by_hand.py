"""The attention's layers are used directly, with bmm and another mask value."""
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

    def look(self, state, features, allowed):
        a = self.attention
        E = a.v(torch.tanh(a.W(state).unsqueeze(1) + a.U(features))).squeeze(-1)
        if allowed is not None:
            E = torch.where(allowed, E, torch.full_like(E, -1e30))
        A = E.softmax(-1)
        return torch.bmm(A.unsqueeze(1), features).squeeze(1), A

    def step(self, words, state, features, allowed=None):
        context, A = self.look(state, features, allowed)
        x = torch.cat((self.embedding(words), context), -1)
        state = self.cell(x, state)
        return self.output(torch.cat((state, context), -1)), state, A

    def forward(self, features, captions, allowed=None):
        steps = []
        state = self.first_state(features, allowed)
        for t in range(captions.shape[1]):
            steps.append(self.step(captions[:, t], state, features, allowed))
            state = steps[-1][1]
        return torch.stack([s[0] for s in steps], 1), torch.stack([s[2] for s in steps], 1)
