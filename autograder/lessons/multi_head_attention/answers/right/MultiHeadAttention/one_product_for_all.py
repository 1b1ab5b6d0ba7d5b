"""Odd: in self-attention the three weights are joined for one matrix product."""
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
        layers = self.W_Q, self.W_K, self.W_V
        if keys is None and values is None:
            weight = torch.cat([W.weight for W in layers])
            bias = None if self.W_Q.bias is None else torch.cat([W.bias for W in layers])
            projected = F.linear(queries, weight, bias).chunk(3, dim=-1)
        else:
            keys = queries if keys is None else keys
            values = keys if values is None else values
            projected = [W(x) for W, x in zip(layers, (queries, keys, values))]
        Q, K, V = (split_heads(x, self.num_heads) for x in projected)
        A = attention_weights(Q, K, allowed)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
