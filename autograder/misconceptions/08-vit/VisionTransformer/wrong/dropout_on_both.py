"""Tokens and positions are dropped each for itself. Dropout acts once, on their sum."""


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
        X = torch.cat((self.class_token.expand(len(images), -1, -1), X), dim=1)
        X = self.dropout(X) + self.dropout(self.positions.expand_as(X))
        Y, weights = self.encoder(X, need_weights=need_weights)
        return self.head(Y[:, 0]), weights
