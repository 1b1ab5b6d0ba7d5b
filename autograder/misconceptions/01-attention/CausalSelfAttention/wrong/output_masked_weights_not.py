"""The output is causal, but the weights that are returned were computed with all keys. Look at
which of your two A is returned."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Y, _ = super().forward(X, causal_mask(X.shape[1], device=X.device))
        _, A = super().forward(X)
        return Y, A
