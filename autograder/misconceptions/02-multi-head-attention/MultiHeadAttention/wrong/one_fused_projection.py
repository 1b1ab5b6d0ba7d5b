"""One layer makes Q, K and V together, so there are no W_Q, W_K and W_V to load weights into, and
keys from elsewhere cannot be used. Look at the names that the exercise gives them."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {model_width}")
        self.num_heads = num_heads
        self.W_QKV = nn.Linear(model_width, 3 * model_width, bias=bias)
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        Q, K, V = (split_heads(x, self.num_heads) for x in self.W_QKV(queries).chunk(3, -1))
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
