"""The projections are viewed straight as (B, N, C), which mixes channels and positions. Look at
what has to be exchanged after the flattening."""


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        N = height * width
        Q = self.W_Q(X).reshape(B, N, -1)
        K = self.W_K(X).reshape(B, N, -1)
        V = self.W_V(X).reshape(B, N, -1)
        A = attention_weights(Q, K)
        Y = (A @ V).transpose(1, 2).unflatten(2, (height, width))
        return X + self.W_O(Y), A
