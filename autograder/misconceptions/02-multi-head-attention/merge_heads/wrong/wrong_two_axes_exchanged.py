"""The words and the columns of each head are exchanged before the reshape. Look at which two axes
have to lie next to each other before they can become one."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.transpose(-2, -1).reshape(*lead, N, H * D_H)
