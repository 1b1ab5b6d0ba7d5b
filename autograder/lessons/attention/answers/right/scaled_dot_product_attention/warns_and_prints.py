"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def scaled_dot_product_attention(Q, K, V, allowed=None):
    print("Q", Q.shape, "K", K.shape, "V", V.shape)
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        print("mask", allowed.shape, file=sys.stderr)
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if A.isnan().any():
        warnings.warn("some queries may attend to nothing", stacklevel=2)
        A = A.nan_to_num(0.0)
    return A @ V, A
