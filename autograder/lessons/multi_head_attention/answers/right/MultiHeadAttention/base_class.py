"""Odd: the layers come from a base class, forward from a mixin; a namedtuple is returned."""
from typing import NamedTuple


class Attended(NamedTuple):
    Y: torch.Tensor
    A: torch.Tensor


class _Layers(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.W_V = nn.Linear(model_width, model_width, bias=bias)
        self.W_K = nn.Linear(model_width, model_width, bias=bias)
        self.W_Q = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.num_heads = num_heads
        if num_heads * (model_width // num_heads) != model_width:
            raise ValueError("not divisible")
        self.reset_parameters()

    def reset_parameters(self):
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class _Attends:
    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q, K, V = (
            split_heads(X=W(x), num_heads=self.num_heads)
            for W, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
        )
        A = attention_weights(Q, K, allowed=allowed)
        return Attended(self.W_O(merge_heads(self.dropout(A) @ V)), A)


class MultiHeadAttention(_Attends, _Layers):
    """Multi-head attention."""
