"""One function reads in either direction; the sentence is turned by an index."""
class BidirectionalLanguageModel(nn.Module):
    def __init__(self, vocab_size, width, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.ahead = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.back = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.output = nn.Linear(width, vocab_size)

    @staticmethod
    def _read(layers_of_one, X, order):
        found = [X]
        for layer in layers_of_one:
            found.append(layer(found[-1][:, order])[0][:, order])
        return torch.stack(found)

    def forward(self, ids):
        X, N = self.embedding(ids), ids.shape[1]
        ahead = self._read(self.ahead, X, torch.arange(N, device=ids.device))
        back = self._read(self.back, X, torch.arange(N - 1, -1, -1, device=ids.device))
        return self.output(ahead[-1][:, : N - 1]), self.output(back[-1][:, 1:]), torch.cat((ahead, back), dim=-1)
