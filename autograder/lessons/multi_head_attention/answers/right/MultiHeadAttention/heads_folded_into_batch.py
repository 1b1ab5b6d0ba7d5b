"""The heads are folded into the batch for bmm, and so is the mask."""
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
        B, N_Q, D = queries.shape
        H, N_K, D_H = self.num_heads, keys.shape[1], D // self.num_heads
        Q = self.W_Q(queries).reshape(B, N_Q, H, D_H).transpose(1, 2).reshape(B * H, N_Q, D_H)
        K = self.W_K(keys).reshape(B, N_K, H, D_H).transpose(1, 2).reshape(B * H, N_K, D_H)
        V = self.W_V(values).reshape(B, N_K, H, D_H).transpose(1, 2).reshape(B * H, N_K, D_H)
        E = torch.bmm(Q, K.transpose(1, 2)) / D_H**0.5
        if allowed is not None:
            allowed = allowed.expand(B, H, N_Q, N_K).reshape(B * H, N_Q, N_K)
            E = E.masked_fill(~allowed, -math.inf)
        A = torch.softmax(E, dim=2)
        if allowed is not None:
            A = A.masked_fill(~allowed, 0)
        Y = torch.bmm(self.dropout(A), V).reshape(B, H, N_Q, D_H)
        Y = Y.transpose(1, 2).reshape(B, N_Q, D)
        return self.W_O(Y), A.reshape(B, H, N_Q, N_K)
