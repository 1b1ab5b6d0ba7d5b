"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def split_heads(X, num_heads):
    print("before", tuple(X.shape))
    if X.shape[-1] % num_heads:
        print("not divisible", file=sys.stderr)
        raise ValueError("num_heads must divide D")
    if num_heads == 1:
        warnings.warn("one head only", stacklevel=2)
    heads = torch.stack(torch.tensor_split(X, num_heads, dim=-1), dim=X.dim() - 2)
    print("after", tuple(heads.shape), file=sys.stderr)
    return heads
