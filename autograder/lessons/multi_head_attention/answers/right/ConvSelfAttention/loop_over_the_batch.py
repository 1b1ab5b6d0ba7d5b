"""A loop over the pictures; positions from a list of pixels."""
class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Conv2d(channels, inner_channels, 1))
        self.W_O = nn.Conv2d(inner_channels, channels, 1)

    def forward(self, X):
        outputs, weights = [], []
        for x in X:
            height, width = x.shape[1:]
            Q, K, V = (W(x[None])[0].reshape(-1, height * width).T for W in (self.W_Q, self.W_K, self.W_V))
            a = attention_weights(Q, K)
            attended = torch.mm(a, V).T.reshape(1, -1, height, width)
            outputs.append(x + self.W_O(attended)[0])
            weights.append(a)
        return torch.stack(outputs), torch.stack(weights)
