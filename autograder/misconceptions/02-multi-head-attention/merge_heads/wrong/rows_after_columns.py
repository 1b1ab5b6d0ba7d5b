"""The result is transposed, (..., D, N). Look at the order of words and columns that split_heads
began with."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.transpose(-2, -1).reshape(*lead, H * D_H, N)
