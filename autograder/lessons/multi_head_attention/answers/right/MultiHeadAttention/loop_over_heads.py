"""A Python loop over the heads, with slices of the columns."""
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
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        H, D_H = self.num_heads, queries.shape[-1] // self.num_heads
        if allowed is not None:
            allowed = allowed.expand(len(queries), H, queries.shape[1], keys.shape[1])
        outputs, weights = [], []
        for h in range(H):
            columns = slice(h * D_H, (h + 1) * D_H)
            mask = None if allowed is None else allowed[:, h]
            A = attention_weights(Q[..., columns], K[..., columns], mask)
            outputs.append(self.dropout(A) @ V[..., columns])
            weights.append(A)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)
