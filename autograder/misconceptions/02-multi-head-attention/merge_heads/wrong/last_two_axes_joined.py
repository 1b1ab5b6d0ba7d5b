"""The last two axes are joined, (..., H, N · D_H), as if the heads stood before the words no
longer. Look at the order of the axes of Y."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.flatten(-2)
