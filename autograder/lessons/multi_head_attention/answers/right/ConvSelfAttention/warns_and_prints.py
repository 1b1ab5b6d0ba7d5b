"""Writes to stdout and to stderr and warns."""
import sys
import warnings


class ConvSelfAttention(nn.Module):
    def __init__(self, channels, inner_channels):
        super().__init__()
        print(channels, "to", inner_channels)
        if inner_channels > channels:
            warnings.warn("more inner channels than channels", stacklevel=2)
        self.inner = inner_channels
        self.W_Q = nn.Conv2d(channels, inner_channels, 1, bias=True)
        self.W_K = nn.Conv2d(channels, inner_channels, 1, bias=True)
        self.W_V = nn.Conv2d(channels, inner_channels, 1, bias=True)
        self.W_O = nn.Conv2d(inner_channels, channels, 1, bias=True)

    def forward(self, X):
        print("picture", tuple(X.shape), file=sys.stderr)
        B, _, h, w = X.shape
        Q, K, V = [W(X).reshape(B, self.inner, h * w).mT for W in (self.W_Q, self.W_K, self.W_V)]
        similarities = Q @ K.mT / self.inner**0.5
        similarities = similarities - similarities.amax(dim=-1, keepdim=True).detach()
        A = similarities.exp()
        A = A / A.sum(dim=-1, keepdim=True)
        Y = (A @ V).mT.reshape(B, self.inner, h, w)
        return X.clone() + self.W_O(Y), A
