"""The projections lie in a plain list, so the module does not know their parameters. Look at the
names the exercise gives them, and at what parameters() of your module holds."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.projections = [
            nn.Linear(D_X, D_Q, bias=False),
            nn.Linear(D_X, D_Q, bias=False),
            nn.Linear(D_X, D_V, bias=False),
        ]

    def forward(self, X, allowed=None):
        Q, K, V = [W(X) for W in self.projections]
        return scaled_dot_product_attention(Q, K, V, allowed)
