"""einsum with the weights cut into heads, and W_O summed over heads."""
class MultiHeadAttention(nn.Module):
    def __init__(self, model_width: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.D_H, rest = divmod(model_width, num_heads)
        if rest != 0:
            raise ValueError("model_width must be a multiple of num_heads")
        self.H = num_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(model_width, model_width, bias=bias))
        self.drop = nn.Dropout(p=dropout)

    def project(self, W, x):
        heads = torch.einsum("bnd,hed->bhne", x, W.weight.unflatten(0, (self.H, self.D_H)))
        if W.bias is not None:
            heads = heads + W.bias.view(self.H, 1, self.D_H)
        return heads

    def forward(self, queries, keys=None, values=None, allowed=None):
        if keys is None:
            keys = queries
        if values is None:
            values = keys
        Q = self.project(self.W_Q, queries)
        K = self.project(self.W_K, keys)
        V = self.project(self.W_V, values)
        E = torch.einsum("bhqe,bhke->bhqk", Q, K) * self.D_H**-0.5
        if allowed is not None:
            E = torch.where(allowed, E, -torch.inf)
        A = E.softmax(-1)
        if allowed is not None:
            A = torch.where(allowed, A, 0.0)
        heads = torch.einsum("bhqk,bhke->bhqe", self.drop(A), V)
        Y = torch.einsum("bhqe,dhe->bqd", heads, self.W_O.weight.unflatten(1, (self.H, self.D_H)))
        return (Y if self.W_O.bias is None else Y + self.W_O.bias), A
