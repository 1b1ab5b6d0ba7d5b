"""The way to a list of pixels is a method, the attention a module of its own; a list is
returned."""
class Attend(nn.Module):
    def forward(self, Q, K, V):
        A = attention_weights(Q, K)
        return A @ V, A


class ConvSelfAttention(nn.Module):
    """Self-attention over the positions of a picture."""

    def __init__(self, channels, inner_channels):
        super(ConvSelfAttention, self).__init__()
        self.W_Q, self.W_K, self.W_V = (
            nn.Conv2d(channels, inner_channels, kernel_size=1, stride=1, padding=0) for _ in range(3)
        )
        self.W_O = nn.Conv2d(inner_channels, channels, kernel_size=1)
        self.attend = Attend()
        self.skip = nn.Identity()

    @staticmethod
    def pixels(picture):
        return picture.movedim(1, -1).flatten(1, 2)

    def forward(self, X):
        layers = self.W_Q, self.W_K, self.W_V
        Y, A = self.attend(*(self.pixels(W(X)) for W in layers))
        Y = Y.reshape(len(X), *X.shape[2:], -1).movedim(-1, 1)
        return [self.skip(X) + self.W_O(Y), A]
