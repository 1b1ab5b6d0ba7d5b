"""No mask: each prefix goes through the encoder by itself, and its last place counts. Slow, and right."""


class SequentialRecommender(nn.Module):
    def __init__(self, num_videos, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(num_videos, width)
        self.positions = layers.LearnedPositions(max_length, width)
        self.encoder = layers.Encoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")

    def forward(self, ids):
        X = self.positions(self.embedding(ids))
        return torch.stack([self.encoder(X[:, :n + 1])[0][:, -1] for n in range(ids.shape[1])], dim=1)
