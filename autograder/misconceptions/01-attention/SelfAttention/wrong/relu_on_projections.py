"""The projections go through a ReLU, so queries, keys and values have no negative entries. Look at
the equations for Q, K and V."""


class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        Q, K, V = F.relu(self.W_Q(X)), F.relu(self.W_K(X)), F.relu(self.W_V(X))
        return scaled_dot_product_attention(Q, K, V, allowed)
