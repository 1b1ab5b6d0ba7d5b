"""The mean as a product with shares, by einsum; the norm by hand."""


class TextTower(nn.Module):
    def __init__(self, vocab_size, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.positions = layers.LearnedPositions(max_length, width)
        self.encoder = layers.Encoder(num_blocks, width, num_heads, hidden_width=2 * width, norm="pre", activation="gelu")

    def forward(self, ids):
        real = ids.ne(PAD)
        X = self.positions(self.embedding(ids))
        Y = self.encoder(X, allowed=real.view(len(ids), 1, 1, -1), need_weights=False)[0]
        shares = real.to(Y) / real.sum(1, keepdim=True).clamp_min(1)
        mean = torch.einsum("bn,bnd->bd", shares, Y)
        return mean / mean.norm(dim=-1, keepdim=True).clamp_min(1e-12)
