"""The channels of a patch stand last. They come first, as in patchify."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P, C = self.patch_size, images.shape[1]
        X = patchify(images, P).unflatten(2, (C, P * P)).mT.flatten(2)
        return self.projection(X)
