"""The vectors pass a LayerNorm. The embedding is linear, and nothing else."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        X = self.projection(patchify(images, self.patch_size))
        return F.layer_norm(X, X.shape[-1:])
