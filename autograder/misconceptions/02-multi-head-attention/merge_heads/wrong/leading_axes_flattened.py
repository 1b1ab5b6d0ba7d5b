"""All leading axes end up in one, and a single sequence gets an axis too many. Look at the shape
that the result is to have: the leading axes are as before."""


def merge_heads(Y):
    H, N, D_H = Y.shape[-3:]
    return Y.transpose(-3, -2).reshape(-1, N, H * D_H)
