"""F.unfold gives (B, C·P·P, N), and reshape does not swap axes. Use transpose."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P = self.patch_size
        X = F.unfold(images, P, stride=P)
        return self.projection(X.reshape(X.shape[0], X.shape[2], X.shape[1]))
