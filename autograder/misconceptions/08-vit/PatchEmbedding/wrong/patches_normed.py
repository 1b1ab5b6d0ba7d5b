"""Each patch is centred before the projection. The embedding is linear, and nothing else."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        X = patchify(images, self.patch_size)
        return self.projection(X - X.mean(dim=-1, keepdim=True))
