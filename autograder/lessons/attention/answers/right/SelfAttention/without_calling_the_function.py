"""The attention is written out again with einsum; old style super; A is kept on self besides."""
class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super(SelfAttention, self).__init__()
        self.W_Q = nn.Linear(in_features=D_X, out_features=D_Q, bias=False)
        self.W_K = nn.Linear(in_features=D_X, out_features=D_Q, bias=False)
        self.W_V = nn.Linear(in_features=D_X, out_features=D_V, bias=False)
        self.scale = D_Q**-0.5

    def forward(self, X, allowed=None):
        queries, keys, values = self.W_Q(X), self.W_K(X), self.W_V(X)
        E = torch.einsum("bqd,bkd->bqk", queries, keys) * self.scale
        if allowed is not None:
            E = E.masked_fill(~allowed, float("-inf"))
        self.A = E.softmax(-1).nan_to_num(0.0)
        return torch.einsum("bqk,bkv->bqv", self.A, values), self.A
