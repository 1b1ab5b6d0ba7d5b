"""Both parts get their positions before they are joined."""
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
        patches = self.embedding(images) + self.positions[1:]
        first = (self.class_token + self.positions[:1]).expand(len(images), -1, -1)
        Y, weights = self.encoder(self.dropout(torch.cat((first, patches), 1)), need_weights=need_weights)
        return self.head(Y[:, 0, :]), list(weights)
