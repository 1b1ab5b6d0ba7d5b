"""The keys are given the number of the queries, so another number of keys fails. Look at where the
length of the keys can be read."""


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
        B, N, D = queries.shape
        Q, K, V = (
            W(x).view(B, N, self.num_heads, D // self.num_heads).transpose(1, 2)
            for W, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
        )
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
