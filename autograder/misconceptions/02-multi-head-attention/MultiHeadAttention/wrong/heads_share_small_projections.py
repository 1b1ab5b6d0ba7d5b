"""W_Q, W_K and W_V map to the width of one head, so all heads get the same queries, keys and
values. Look at the shapes of the weights that the exercise names."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {model_width}")
        self.num_heads = num_heads
        D_H = model_width // num_heads
        self.W_Q = nn.Linear(model_width, D_H, bias=bias)
        self.W_K = nn.Linear(model_width, D_H, bias=bias)
        self.W_V = nn.Linear(model_width, D_H, bias=bias)
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        H = self.num_heads
        Q = self.W_Q(queries)[:, None].expand(-1, H, -1, -1)
        K = self.W_K(keys)[:, None].expand(-1, H, -1, -1)
        V = self.W_V(values)[:, None].expand(-1, H, -1, -1)
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
