"""new_empty, filled by slices."""
class VisionTransformer(nn.Module):
    """Patches with a class token before them, learned positions, a pre-norm encoder (Dosovitskiy et al. 2021)."""

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
        """Return (logits (B, classes), the weights (B, heads, N + 1, N + 1) of each block).

        images: (B, C, H, W). Dropout acts on the tokens with their positions. With need_weights=False the list is empty.
        """
        E = self.embedding(images)
        B, N, D = E.shape
        X = E.new_empty(B, N + 1, D)
        X[:, 1:] = E + self.positions[1:]
        X[:, :1] = self.class_token + self.positions[:1]
        out = self.encoder(self.dropout(X), None, need_weights)
        return self.head(out[0][:, 0, :]), out[1]
