"""repeat for expand, hstack for cat."""
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
        tokens = torch.hstack((self.class_token.repeat(images.shape[0], 1, 1), self.embedding(images)))
        tokens = self.dropout(self.positions[None] + tokens)
        Y, weights = self.encoder(tokens, need_weights=need_weights)
        return self.head(Y.select(1, 0)), weights
