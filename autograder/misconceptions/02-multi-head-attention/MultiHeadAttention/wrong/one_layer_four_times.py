"""A list is multiplied, so W_Q, W_K, W_V and W_O are one and the same layer. Look at what [thing] *
4 copies."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {model_width}")
        self.num_heads = num_heads
        layers = [nn.Linear(model_width, model_width, bias=bias)] * 4
        self.W_Q, self.W_K, self.W_V, self.W_O = layers
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q = split_heads(self.W_Q(queries), self.num_heads)
        K = split_heads(self.W_K(keys), self.num_heads)
        V = split_heads(self.W_V(values), self.num_heads)
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
