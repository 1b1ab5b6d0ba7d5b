"""Odd: a data class."""
from dataclasses import dataclass

@dataclass(eq=False)
class SelfAttention(nn.Module):
    D_X: int
    D_Q: int
    D_V: int

    def __post_init__(self):
        super().__init__()
        self.W_Q = nn.Linear(self.D_X, self.D_Q, bias=False)
        self.W_K = nn.Linear(self.D_X, self.D_Q, bias=False)
        self.W_V = nn.Linear(self.D_X, self.D_V, bias=False)

    def forward(self, X, allowed=None):
        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)
