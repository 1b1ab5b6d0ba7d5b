"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def softmax(E, dim=-1):
    print("softmax of", tuple(E.shape))
    print("along dimension", dim, file=sys.stderr)
    warnings.warn("the maximum is subtracted first", stacklevel=2)
    exponentials = torch.exp(E - E.amax(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)
