"""Head h works on the columns h, h + H, h + 2 H and so on. Look at which columns belong to head h:
they lie side by side."""


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
        H = self.num_heads
        Q, K, V = (
            W(x).unflatten(-1, (-1, H)).movedim(-1, 1)
            for W, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
        )
        A = attention_weights(Q, K, allowed)
        Y = (self.dropout(A) @ V).movedim(1, -1).flatten(-2)
        return self.W_O(Y), A
