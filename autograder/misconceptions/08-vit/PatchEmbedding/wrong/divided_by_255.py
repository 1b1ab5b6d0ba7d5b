"""The pixels are divided by 255. Their values are between 0 and 1 already."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        return self.projection(patchify(images / 255, self.patch_size))
