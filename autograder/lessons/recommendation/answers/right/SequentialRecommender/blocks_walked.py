"""The blocks walked by hand, each with the triangle."""


class SequentialRecommender(nn.Module):
    def __init__(self, num_videos, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(num_videos, width)
        self.positions = layers.LearnedPositions(max_length, width)
        self.encoder = layers.Encoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")

    def forward(self, ids):
        X = self.positions(self.embedding(ids))
        earlier = torch.tril(torch.ones(ids.shape[1], ids.shape[1])) > 0
        for block in self.encoder.blocks:
            X, _ = block(X, earlier)
        return self.encoder.norm(X)
