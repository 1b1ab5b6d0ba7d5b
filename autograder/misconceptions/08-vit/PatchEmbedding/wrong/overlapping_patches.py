"""The kernel moves on by one pixel, so patches overlap. The stride is the patch size."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P = self.patch_size
        return self.projection(F.unfold(images, P, stride=1).mT)
