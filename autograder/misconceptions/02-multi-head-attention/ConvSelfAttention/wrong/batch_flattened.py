"""The pictures of a batch are joined into one, so pixels attend to other examples. Look at what
each axis of X means."""


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
        Q, K, V = (
            W(X).permute(0, 2, 3, 1).reshape(1, B * N, -1) for W in (self.W_Q, self.W_K, self.W_V)
        )
        A = attention_weights(Q, K)
        Y = (A @ V).reshape(B, height, width, -1).permute(0, 3, 1, 2)
        return X + self.W_O(Y), A.reshape(B, N, B, N).sum(dim=2)
