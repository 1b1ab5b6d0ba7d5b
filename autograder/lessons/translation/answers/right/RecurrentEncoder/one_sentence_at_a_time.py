"""One sentence after the other, padded at the end."""
class RecurrentEncoder(nn.Module):
    def __init__(self, vocab_size, embedding_width, state_width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.gru = nn.GRU(embedding_width, state_width, batch_first=True, bidirectional=True)

    def forward(self, source, lengths):
        N = source.shape[1]
        rows = []
        for ids, length in zip(source, lengths.tolist()):
            states, _ = self.gru(self.embedding(ids[None, :length]))
            rows.append(F.pad(states[0], (0, 0, 0, N - length)))
        return torch.stack(rows)
