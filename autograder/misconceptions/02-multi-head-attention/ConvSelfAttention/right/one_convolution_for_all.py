"""Odd: the three convolutions are joined into one and the result is split."""


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        layers = self.W_Q, self.W_K, self.W_V
        weight = torch.cat([W.weight for W in layers])
        bias = torch.cat([W.bias for W in layers])
        Q, K, V = F.conv2d(X, weight, bias).flatten(2).mT.chunk(3, dim=-1)
        A = attention_weights(Q, K)
        Y = (A @ V).transpose(1, 2).unflatten(2, (height, width))
        return X + self.W_O(Y), A
