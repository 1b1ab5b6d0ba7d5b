"""The tokens come column by column. Patches come row by row."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P = self.patch_size
        X = self.projection(patchify(images, P)).unflatten(1, (images.shape[2] // P, -1))
        return X.transpose(1, 2).flatten(1, 2)
