"""The projections are viewed straight as (B, H, N, D_H), so a head holds pieces of whole rows and
words get mixed. Look at split_heads: cutting the last axis is not enough."""


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
        D_H = D // self.num_heads
        Q = self.W_Q(queries).view(B, self.num_heads, -1, D_H)
        K = self.W_K(keys).view(B, self.num_heads, -1, D_H)
        V = self.W_V(values).view(B, self.num_heads, -1, D_H)
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
