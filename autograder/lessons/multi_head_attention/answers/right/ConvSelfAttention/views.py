"""Views and permutes."""
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
        Q = self.W_Q(X).reshape(B, -1, N).permute(0, 2, 1)
        K = self.W_K(X).reshape(B, -1, N).permute(0, 2, 1)
        V = self.W_V(X).reshape(B, -1, N).permute(0, 2, 1)
        A = attention_weights(Q, K)
        Y = (A @ V).permute(0, 2, 1).contiguous().view(B, -1, height, width)
        return X + self.W_O(Y), A
