"""Dropout from Bernoulli draws, and an additive mask."""
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
        self.keep = 1.0 - dropout

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q = split_heads(self.W_Q(queries), self.num_heads)
        K = split_heads(self.W_K(keys), self.num_heads)
        V = split_heads(self.W_V(values), self.num_heads)
        bias = torch.zeros((), dtype=Q.dtype, device=Q.device)
        if allowed is not None:
            bias = bias.expand(allowed.shape).masked_fill(~allowed, torch.finfo(Q.dtype).min)
        A = torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]) + bias, dim=-1)
        if allowed is not None:
            A = A * allowed
        kept = A
        if self.training and self.keep < 1:
            kept = A * torch.bernoulli(torch.full_like(A, self.keep)) / self.keep
        Y = merge_heads(kept @ V)
        return self.W_O(Y), A
