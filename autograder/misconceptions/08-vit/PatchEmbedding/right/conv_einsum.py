"""conv2d with the weights, unflattened, and an einsum that swaps."""


class PatchEmbedding(nn.Module):
    """The same linear map for every patch."""

    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        C, P = images.shape[1], self.patch_size
        kernel = self.projection.weight.unflatten(1, (C, P, P))
        return torch.einsum("bdhw->bhwd", F.conv2d(images, kernel, stride=P)).flatten(1, 2) + self.projection.bias
