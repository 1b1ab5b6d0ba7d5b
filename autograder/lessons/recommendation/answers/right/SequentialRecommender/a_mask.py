"""A triangle as a mask, and the positions added by hand."""


class SequentialRecommender(nn.Module):
    def __init__(self, num_videos, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(num_videos, width)
        self.positions = layers.LearnedPositions(max_length, width)
        self.encoder = layers.Encoder(num_blocks, width, num_heads, hidden_width=2 * width, norm="pre", activation="gelu")

    def forward(self, ids):
        N = ids.shape[1]
        X = self.embedding(ids) + self.positions.table[:N]
        allowed = torch.ones(N, N, dtype=torch.bool).tril()
        return self.encoder(X, allowed, False)[0]
