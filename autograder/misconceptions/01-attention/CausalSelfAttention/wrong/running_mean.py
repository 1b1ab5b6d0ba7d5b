"""Every output is the running mean of the values: the past counts equally and the queries are
ignored. Look at what the weights depend on."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        allowed = causal_mask(X.shape[1], device=X.device)
        A = allowed.to(X.dtype) / allowed.sum(dim=-1, keepdim=True)
        A = A.expand(X.shape[0], -1, -1)
        return A @ self.W_V(X), A
