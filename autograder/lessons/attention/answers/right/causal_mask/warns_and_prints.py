"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    print("queries", N_Q)
    print("keys", N_K, file=sys.stderr)
    if N_K != N_Q:
        warnings.warn("the last query is aligned with the last key", stacklevel=2)
    return ~torch.ones(N_Q, N_K, dtype=torch.bool, device=device).triu(N_K - N_Q + 1)
