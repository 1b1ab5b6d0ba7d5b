"""Weights are set to 0 after the softmax, so the rows of A no longer sum to 1. Look at where the
mask has to come in for the softmax to share out all the weight."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Y, A = super().forward(X)
        A = A * causal_mask(X.shape[1], device=X.device)
        return A @ self.W_V(X), A
