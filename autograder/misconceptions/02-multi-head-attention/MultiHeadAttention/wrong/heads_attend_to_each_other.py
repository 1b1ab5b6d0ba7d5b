"""The heads stand behind the words, (B, N, H, D_H), when the weights are computed: the heads of a
word attend to each other and no word sees another. Look at which axis has to stand just before the
last."""


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
        B, _, D = queries.shape
        Q, K, V = (
            W(x).view(B, -1, self.num_heads, D // self.num_heads)
            for W, x in ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
        )
        A = attention_weights(Q, K, allowed)
        Y = (self.dropout(A) @ V).reshape(B, -1, D)
        return self.W_O(Y), A
