"""There is no causal mask: every word sees the words after it. Look at what forward passes on as
allowed, and at whether masked_fill changes a tensor or returns a new one."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        E = Q @ K.mT / math.sqrt(Q.shape[-1])
        E.masked_fill(~causal_mask(X.shape[1], device=X.device), -torch.inf)
        A = torch.softmax(E, dim=-1)
        return A @ V, A
