"""The heads are added, so only D_H columns are left. Look at the width of the result."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.sum(dim=-3)
