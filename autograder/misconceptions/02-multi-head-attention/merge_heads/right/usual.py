"""transpose and reshape."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.transpose(-3, -2).reshape(*lead, N, H * D_H)
