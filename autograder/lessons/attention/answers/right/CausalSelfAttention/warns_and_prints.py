"""Writes to stdout and to stderr and warns."""
import sys
import warnings


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        print("words:", X.shape[1])
        print("batch:", X.shape[0], file=sys.stderr)
        warnings.warn("the future is hidden", stacklevel=2)
        return super().forward(X, causal_mask(X.shape[1], device=X.device))
