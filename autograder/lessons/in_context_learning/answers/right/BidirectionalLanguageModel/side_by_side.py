"""Both directions go through the output side by side; fliplr turns the sentence, narrow shifts it."""
class BidirectionalLanguageModel(nn.Module):
    def __init__(self, vocab_size, width, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.ahead = nn.ModuleList()
        self.back = nn.ModuleList()
        for _ in range(num_layers):
            self.ahead.append(nn.LSTM(width, width, batch_first=True))
            self.back.append(nn.LSTM(width, width, batch_first=True))
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids):
        X = self.embedding(ids)
        B, N, W = X.shape
        left = right = X
        parts = [X.repeat(1, 1, 2)]
        for forward, backward in zip(self.ahead, self.back):
            left = forward(left)[0]
            right = torch.fliplr(backward(torch.fliplr(right))[0])
            parts.append(torch.stack((left, right), dim=2).reshape(B, N, 2 * W))
        logits = self.output(torch.stack((left.narrow(1, 0, N - 1), right.narrow(1, 1, N - 1))))
        return logits[0], logits[1], torch.stack(parts)
