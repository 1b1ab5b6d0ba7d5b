"""The projections are a subclass of nn.Linear."""
class Projection(nn.Linear):
    def __init__(self, D_in, D_out):
        super().__init__(D_in, D_out, bias=False)


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = Projection(D_X, D_Q)
        self.W_K = Projection(D_X, D_Q)
        self.W_V = Projection(D_X, D_V)

    def forward(self, X, allowed=None):
        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)
