"""num_heads is not used: one head attends with the whole width, and its weights are shown H times.
Look at where the width is shared out."""


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
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        if allowed is not None and allowed.dim() == 4:
            allowed = allowed[:, 0]
        A = attention_weights(Q, K, allowed)
        Y = self.dropout(A) @ V
        return self.W_O(Y), A[:, None].repeat(1, self.num_heads, 1, 1)
