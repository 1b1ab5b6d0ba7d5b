"""W_Q, W_K, W_V and W_O are bare matrices instead of nn.Linear, so there is no W_Q.weight and no
bias. Look at what kind of module the exercise asks for."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {model_width}")
        self.num_heads = num_heads
        self.W_Q = nn.Parameter(torch.randn(model_width, model_width) / math.sqrt(model_width))
        self.W_K = nn.Parameter(torch.randn(model_width, model_width) / math.sqrt(model_width))
        self.W_V = nn.Parameter(torch.randn(model_width, model_width) / math.sqrt(model_width))
        self.W_O = nn.Parameter(torch.randn(model_width, model_width) / math.sqrt(model_width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q = split_heads(queries @ self.W_Q, self.num_heads)
        K = split_heads(keys @ self.W_K, self.num_heads)
        V = split_heads(values @ self.W_V, self.num_heads)
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return Y @ self.W_O, A
