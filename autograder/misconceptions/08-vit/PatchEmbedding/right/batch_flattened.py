"""All patches of all pictures in one long table, and back."""


class PatchEmbedding(nn.Module):
    """The same linear map for every patch."""

    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        p = patchify(images, self.patch_size)
        return self.projection(p.flatten(0, 1)).unflatten(0, p.shape[:2])
