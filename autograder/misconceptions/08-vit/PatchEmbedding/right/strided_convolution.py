"""The projection's rows as the kernels of a convolution."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P = self.patch_size
        kernels = self.projection.weight.unflatten(1, (-1, P, P))
        return F.conv2d(images, kernels, self.projection.bias, stride=P).flatten(2).transpose(1, 2)
