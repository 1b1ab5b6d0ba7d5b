"""chunk and stack; the result of each head goes through its own columns of W_O."""


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
        Q = torch.stack(self.W_Q(queries).chunk(H, dim=-1), dim=1)
        K = torch.stack(self.W_K(keys).chunk(H, dim=-1), dim=1)
        V = torch.stack(self.W_V(values).chunk(H, dim=-1), dim=1)
        A = attention_weights(Q, K, allowed)
        heads = (self.dropout(A) @ V).unbind(dim=1)
        parts = self.W_O.weight.chunk(H, dim=1)
        Y = sum(F.linear(head, part) for head, part in zip(heads, parts))
        if self.W_O.bias is not None:
            Y = Y + self.W_O.bias
        return Y, A
