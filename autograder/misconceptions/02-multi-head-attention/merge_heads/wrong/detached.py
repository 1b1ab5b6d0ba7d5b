"""The result is cut off from the graph, so no gradient reaches Y. Look for detach, .data, .item()
or a way through numpy."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.data.transpose(-3, -2).reshape(*lead, N, H * D_H)
