"""Odd: the weights of the convolutions are used as matrices on the list of pixels."""
class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        pixels = X.permute(0, 2, 3, 1).reshape(B, height * width, C)
        Q, K, V = (F.linear(pixels, W.weight.flatten(1), W.bias) for W in (self.W_Q, self.W_K, self.W_V))
        A = attention_weights(Q, K)
        Y = F.linear(A @ V, self.W_O.weight[:, :, 0, 0], self.W_O.bias) + pixels
        return Y.reshape(B, height, width, C).permute(0, 3, 1, 2), A
