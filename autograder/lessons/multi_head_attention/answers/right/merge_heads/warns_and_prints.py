"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def merge_heads(Y):
    print("before", Y.shape)
    if not Y.is_contiguous():
        warnings.warn("Y is not contiguous, a copy is made", stacklevel=2)
    X = torch.einsum("...hnd->...nhd", Y).flatten(-2)
    print("after", X.shape, file=sys.stderr)
    return X
