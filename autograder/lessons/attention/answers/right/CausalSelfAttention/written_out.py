"""Everything written out, with an additive mask of −inf."""
class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        N_X = X.shape[1]
        future = torch.full((N_X, N_X), -torch.inf, dtype=X.dtype, device=X.device).triu(1)
        A = torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]) + future, dim=-1)
        return A @ V, A
