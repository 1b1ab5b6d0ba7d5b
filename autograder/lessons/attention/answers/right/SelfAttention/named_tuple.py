"""A namedtuple in the place of the tuple."""
from collections import namedtuple

Attended = namedtuple("Attended", "Y A")


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        for name, width in (("W_Q", D_Q), ("W_K", D_Q), ("W_V", D_V)):
            self.add_module(name, nn.Linear(D_X, width, bias=False))

    def forward(self, X, allowed=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        return Attended(*scaled_dot_product_attention(Q, K, V, allowed))
