"""Dropout falls on the joined heads instead of the weights. Look at what is multiplied with V."""


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
        A = attention_weights(Q, K, allowed)
        Y = self.dropout(merge_heads(A @ V))
        return self.W_O(Y), A
