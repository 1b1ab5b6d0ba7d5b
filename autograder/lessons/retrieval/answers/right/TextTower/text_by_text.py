"""Text by text, without any mask: padding is cut out where it stands, and the places stay."""


class TextTower(nn.Module):
    def __init__(self, vocab_size, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.positions = layers.LearnedPositions(max_length, width)
        self.encoder = layers.Encoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")

    def forward(self, ids):
        X = self.positions(self.embedding(ids))
        rows = []
        for row, real in zip(X, ids != PAD):
            if not real.any():
                rows.append(row.sum(dim=0) * 0)
                continue
            Y, _ = self.encoder(row[real][None])
            rows.append(F.normalize(Y[0].mean(dim=0), dim=0))
        return torch.stack(rows)
