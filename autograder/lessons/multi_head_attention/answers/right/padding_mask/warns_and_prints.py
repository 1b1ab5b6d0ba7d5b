"""Writes to stdout and to stderr and warns."""
import sys
import warnings


def padding_mask(lengths, N_K):
    print("lengths", lengths)
    if (lengths == 0).any():
        warnings.warn("an empty sentence", stacklevel=2)
    if (lengths > N_K).any():
        print("a sentence is longer than N_K", file=sys.stderr)
    rows = [torch.arange(N_K, device=lengths.device) < length for length in lengths]
    return torch.stack(rows).reshape(-1, 1, 1, N_K)
