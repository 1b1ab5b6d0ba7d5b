"""Writes to stdout and to stderr and warns; small methods."""
import sys
import warnings


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("no")
        if num_heads == 1:
            warnings.warn("a single head", stacklevel=2)
        print("width of a head:", model_width // num_heads)
        self.num_heads = num_heads
        self.W_Q = nn.Linear(in_features=model_width, out_features=model_width, bias=bias)
        self.W_K = nn.Linear(in_features=model_width, out_features=model_width, bias=bias)
        self.W_V = nn.Linear(in_features=model_width, out_features=model_width, bias=bias)
        self.W_O = nn.Linear(in_features=model_width, out_features=model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _split(self, x):
        return split_heads(x, self.num_heads).contiguous()

    def _weights(self, Q, K, allowed):
        E = torch.matmul(Q, K.mT).div(math.sqrt(Q.size(3)))
        if allowed is not None:
            print("mask", tuple(allowed.shape), file=sys.stderr)
            E = E.masked_fill(allowed.logical_not(), -torch.inf)
        A = E.softmax(dim=3)
        if A.isnan().any():
            warnings.warn("some queries may attend to nothing", stacklevel=2)
            A = A.masked_fill(A.isnan(), 0.0)
        return A

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q, K, V = self._split(self.W_Q(queries)), self._split(self.W_K(keys)), self._split(self.W_V(values))
        A = self._weights(Q, K, allowed)
        return self.W_O(merge_heads(self.dropout(A) @ V)), A
