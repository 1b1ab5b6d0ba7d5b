"""Every head is a module with small matrices of its own. That computes the same kind of thing, but
the weights have other names and shapes. Look at the four layers that the exercise names."""


class Head(nn.Module):
    def __init__(self, model_width, head_width, bias):
        super().__init__()
        self.W_Q = nn.Linear(model_width, head_width, bias=bias)
        self.W_K = nn.Linear(model_width, head_width, bias=bias)
        self.W_V = nn.Linear(model_width, head_width, bias=bias)

    def forward(self, queries, keys, values, allowed, dropout):
        A = attention_weights(self.W_Q(queries), self.W_K(keys), allowed)
        return dropout(A) @ self.W_V(values), A


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("the heads do not divide the width")
        head_width = model_width // num_heads
        self.heads = nn.ModuleList(Head(model_width, head_width, bias) for _ in range(num_heads))
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        if allowed is not None:
            allowed = allowed.expand(len(queries), len(self.heads), queries.shape[1], keys.shape[1])
        outputs, weights = [], []
        for h, head in enumerate(self.heads):
            mask = None if allowed is None else allowed[:, h]
            Y, A = head(queries, keys, values, mask, self.dropout)
            outputs.append(Y)
            weights.append(A)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)
