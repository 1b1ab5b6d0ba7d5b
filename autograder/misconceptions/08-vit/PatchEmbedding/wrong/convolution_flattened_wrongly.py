"""The convolution's result (B, D, rows, columns) is given the shape (B, N, D) without swapping
axes. Flatten its last two axes, then transpose."""


class PatchEmbedding(nn.Module):
    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        P = self.patch_size
        kernels = self.projection.weight.unflatten(1, (-1, P, P))
        Y = F.conv2d(images, kernels, self.projection.bias, stride=P)
        return Y.reshape(len(Y), -1, Y.shape[1])
