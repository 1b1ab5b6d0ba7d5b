"""Nothing is called: views, transposes, masked_fill twice; F.dropout told the mode."""
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
        self.p = dropout

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        B, N_Q, D = queries.shape
        N_K, H, D_H = keys.shape[1], self.num_heads, D // self.num_heads
        Q = self.W_Q(queries).view(B, N_Q, H, D_H).transpose(1, 2)
        K = self.W_K(keys).view(B, N_K, H, D_H).transpose(1, 2)
        V = self.W_V(values).view(B, N_K, H, D_H).transpose(1, 2)
        E = Q @ K.transpose(-2, -1) / math.sqrt(D_H)
        if allowed is not None:
            E = E.masked_fill(~allowed, float("-inf"))
        A = F.softmax(E, dim=-1)
        if allowed is not None:
            A = A.masked_fill(~allowed, 0.0)
        Y = F.dropout(A, p=self.p, training=self.training) @ V
        Y = Y.transpose(1, 2).contiguous().view(B, N_Q, D)
        return self.W_O(Y), A
