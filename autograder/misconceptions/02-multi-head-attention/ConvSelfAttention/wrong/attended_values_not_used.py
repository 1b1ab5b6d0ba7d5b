"""The weights are computed, but W_O is applied to the values as they were before. Look at what W_O
gets."""


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        Q = self.W_Q(X).flatten(2).transpose(1, 2)
        K = self.W_K(X).flatten(2).transpose(1, 2)
        V = self.W_V(X).flatten(2).transpose(1, 2)
        A = attention_weights(Q, K)
        Y = (A @ V).transpose(1, 2).unflatten(2, (height, width))
        return X + self.W_O(self.W_V(X)), A
