"""Xavier initialisation."""
class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(D_X, width, bias=False) for width in (D_Q, D_Q, D_V))
        for module in self.children():
            nn.init.xavier_uniform_(module.weight)

    def forward(self, X, allowed=None):
        Y, A = scaled_dot_product_attention(Q=self.W_Q(X), K=self.W_K(X), V=self.W_V(X), allowed=allowed)
        return Y, A
