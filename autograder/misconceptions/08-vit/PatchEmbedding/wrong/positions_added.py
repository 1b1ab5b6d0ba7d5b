"""A number for the place is added to each vector. Positions come later, and are learned."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        X = self.projection(patchify(images, self.patch_size))
        return X + torch.arange(X.shape[1], dtype=X.dtype)[:, None]
