"""The head is written out; the blocks run in a loop, weights kept in a list."""
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
        tokens = torch.concat([self.class_token.repeat_interleave(images.size(0), dim=0), self.embedding(images)], 1)
        h = self.dropout(self.positions[None] + tokens)
        kept = []
        for block in self.encoder.blocks:
            h, a = block(h, need_weights=need_weights)
            if need_weights:
                kept += [a]
        c = self.encoder.norm(h)[:, 0]
        return torch.addmm(self.head.bias, c, self.head.weight.t()), kept
