"""A new layer is made in each forward, with new random weights."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        X = patchify(images, self.patch_size)
        return nn.Linear(X.shape[2], self.projection.out_features, dtype=X.dtype)(X)
