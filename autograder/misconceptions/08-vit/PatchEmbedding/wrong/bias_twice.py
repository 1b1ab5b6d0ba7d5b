"""The bias is added twice. nn.Linear adds it."""


class PatchEmbedding(nn.Module):
    """The same linear map for every patch."""

    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        return self.projection(patchify(images, self.patch_size)) + self.projection.bias
