"""Sorted by hand, and put back into the old order."""
class RecurrentEncoder(nn.Module):
    """The old way, before enforce_sorted."""

    def __init__(self, vocab_size, embedding_width, state_width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.gru = nn.GRU(embedding_width, state_width, num_layers=1, bidirectional=True, batch_first=True)

    def forward(self, source, lengths):
        lengths, order = torch.sort(lengths, descending=True, stable=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source)[order], lengths.tolist(), batch_first=True)
        H = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True)[0]
        B, longest, width = H.shape
        result = H.new_zeros(B, source.size(1), width)
        result[order, :longest] = H
        return result
