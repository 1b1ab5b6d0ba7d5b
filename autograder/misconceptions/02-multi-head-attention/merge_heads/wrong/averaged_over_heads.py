"""The heads are averaged, so only D_H columns are left. Look at the width of the result."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.mean(dim=-3)
