"""The softmax runs over the queries instead of the keys. Look at which axis of E belongs to the
keys and what each row of A sums to."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        E = Q @ K.mT / math.sqrt(Q.shape[-1])
        E = E.masked_fill(~causal_mask(X.shape[1], device=X.device), -torch.inf)
        A = torch.softmax(E, dim=1)
        return A @ V, A
