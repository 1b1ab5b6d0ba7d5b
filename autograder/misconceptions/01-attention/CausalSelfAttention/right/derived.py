"""Derived from SelfAttention, with causal_mask."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X, causal_mask(X.shape[1], device=X.device))
