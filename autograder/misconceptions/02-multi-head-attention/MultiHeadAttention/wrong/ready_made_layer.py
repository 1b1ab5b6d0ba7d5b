"""nn.MultiheadAttention does the work, and its weights have other names. Look at the list of
functions that this lesson forbids."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("the heads do not divide the width")
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(
            model_width, num_heads, dropout=dropout, bias=bias, batch_first=True
        )

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        if allowed is not None:
            shape = len(queries), self.num_heads, queries.shape[1], keys.shape[1]
            allowed = ~allowed.expand(shape).flatten(0, 1)
        return self.attention(
            queries, keys, values, attn_mask=allowed, average_attn_weights=False
        )
