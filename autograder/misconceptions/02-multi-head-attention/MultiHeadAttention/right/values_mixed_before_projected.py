"""Odd: every head mixes whole inputs and projects them afterwards."""


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
        Q = split_heads(self.W_Q(queries), self.num_heads)
        K = split_heads(self.W_K(keys), self.num_heads)
        V = values.unsqueeze(1)
        A = attention_weights(Q, K, allowed)
        kept = self.dropout(A)
        weights = self.W_V.weight.unflatten(0, (self.num_heads, -1))
        heads = (kept @ V) @ weights.mT
        if self.W_V.bias is not None:
            bias = self.W_V.bias.view(self.num_heads, 1, -1)
            heads = heads + kept.sum(dim=-1, keepdim=True) * bias
        Y = merge_heads(heads)
        return self.W_O(Y), A
