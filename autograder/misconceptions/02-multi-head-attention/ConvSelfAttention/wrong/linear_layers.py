"""The projections are nn.Linear, whose weights have two axes instead of four. Look at the kind of
layer that the exercise names."""


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Linear(channels, inner_channels)
        self.W_K = nn.Linear(channels, inner_channels)
        self.W_V = nn.Linear(channels, inner_channels)
        self.W_O = nn.Linear(inner_channels, channels)

    def forward(self, X):
        B, C, height, width = X.shape
        pixels = X.flatten(2).transpose(1, 2)
        Q, K, V = self.W_Q(pixels), self.W_K(pixels), self.W_V(pixels)
        A = attention_weights(Q, K)
        Y = self.W_O(A @ V).transpose(1, 2).unflatten(2, (height, width))
        return X + Y, A
