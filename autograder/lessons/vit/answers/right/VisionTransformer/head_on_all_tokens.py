"""Odd: the head is applied to every token, and the first result taken."""
class VisionTransformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        D, P = config.model_width, config.patch_size
        N = (config.height // P) * (config.width // P)
        self.embedding = PatchEmbedding(config.channels, P, D)
        self.class_token = nn.Parameter(torch.zeros(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(N + 1, D))
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = layers.Encoder(
            config.num_blocks, D, config.num_heads, config.hidden_width, config.dropout, norm="pre", activation="gelu"
        )
        self.head = nn.Linear(D, config.classes)

    def forward(self, images, need_weights=True):
        X = self.embedding(images)
        X = F.pad(X, (0, 0, 1, 0)) + F.pad(self.class_token, (0, 0, 0, X.shape[1]))
        X = self.dropout(X + self.positions)
        Y, weights = self.encoder(X, need_weights=need_weights)
        return self.head(Y)[:, 0], weights
