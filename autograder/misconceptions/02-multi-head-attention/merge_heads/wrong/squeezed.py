"""Axes of length 1 are dropped, so a batch of one or a single word loses an axis. Look for
squeeze."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.transpose(-3, -2).reshape(*lead, N, H * D_H).squeeze()
