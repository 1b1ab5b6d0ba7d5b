"""Every row of pixels attends to itself only. Look at the shape of A: each position may attend to
the whole picture."""


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        Q, K, V = (W(X).permute(0, 2, 3, 1) for W in (self.W_Q, self.W_K, self.W_V))
        A = attention_weights(Q, K)
        Y = (A @ V).permute(0, 3, 1, 2)
        A = torch.stack([torch.block_diag(*rows) for rows in A])
        return X + self.W_O(Y), A
