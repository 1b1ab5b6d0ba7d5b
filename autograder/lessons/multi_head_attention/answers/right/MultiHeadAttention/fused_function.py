"""PyTorch's fused function makes the output, and the weights are computed besides."""
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
        Q = split_heads(self.W_Q(queries), self.num_heads)
        K = split_heads(self.W_K(keys), self.num_heads)
        V = split_heads(self.W_V(values), self.num_heads)
        A = attention_weights(Q, K, allowed)
        if allowed is not None:
            allowed = allowed.expand(A.shape)
        p = self.p if self.training else 0.0
        heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed, dropout_p=p)
        if allowed is not None:
            heads = heads.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)
        Y = merge_heads(heads)
        return self.W_O(Y), A
