"""The heads are folded into the batch, example by example, but the mask is repeated head by head,
so examples get each other's masks. Look at the difference between repeat and repeat_interleave."""


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
        V = split_heads(self.W_V(values), self.num_heads)
        B, H, N_Q, N_K = *Q.shape[:3], K.shape[2]
        if allowed is not None:
            if allowed.dim() == 4 and allowed.shape[1] == 1:
                allowed = allowed.expand(B, 1, N_Q, N_K).repeat(H, 1, 1, 1)
            else:
                allowed = allowed.expand(B, H, N_Q, N_K)
            allowed = allowed.reshape(B * H, N_Q, N_K)
        A = attention_weights(Q.flatten(0, 1), K.flatten(0, 1), allowed).view(B, H, N_Q, N_K)
        Y = merge_heads(self.dropout(A) @ V)
        return self.W_O(Y), A
