"""The similarities are used as weights as they are. Look at what makes the weights of a query sum
to 1."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {model_width}")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width, bias=bias)
        self.W_K = nn.Linear(model_width, model_width, bias=bias)
        self.W_V = nn.Linear(model_width, model_width, bias=bias)
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q = split_heads(self.W_Q(queries), self.num_heads)
        K = split_heads(self.W_K(keys), self.num_heads)
        V = split_heads(self.W_V(values), self.num_heads)
        E = Q @ K.mT / math.sqrt(Q.shape[-1])
        if allowed is not None:
            E = E.masked_fill(~allowed, -math.inf)
        A = E.masked_fill(E.isinf(), 0.0)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
