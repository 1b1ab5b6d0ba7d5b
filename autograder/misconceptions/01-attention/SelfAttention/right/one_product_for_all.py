"""Odd: the three weights are joined for one matrix product and the result is split."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        projections = [self.W_Q.weight, self.W_K.weight, self.W_V.weight]
        widths = [weight.shape[0] for weight in projections]
        Q, K, V = F.linear(X, torch.cat(projections)).split(widths, dim=-1)
        return scaled_dot_product_attention(Q, K, V, allowed)
