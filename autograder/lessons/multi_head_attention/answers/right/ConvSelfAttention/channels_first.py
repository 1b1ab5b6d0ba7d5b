"""The channels stay first and V is multiplied by the transpose of A, as in SAGAN."""
class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        self.W_Q = nn.Conv2d(channels, inner_channels, 1)
        self.W_K = nn.Conv2d(channels, inner_channels, 1)
        self.W_V = nn.Conv2d(channels, inner_channels, 1)
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        B, C, height, width = X.shape
        Q, K, V = (W(X).flatten(2) for W in (self.W_Q, self.W_K, self.W_V))
        A = torch.softmax(torch.bmm(Q.transpose(1, 2), K) / math.sqrt(Q.shape[1]), dim=-1)
        Y = torch.bmm(V, A.transpose(1, 2)).reshape(B, -1, height, width)
        return X + self.W_O(Y), A
