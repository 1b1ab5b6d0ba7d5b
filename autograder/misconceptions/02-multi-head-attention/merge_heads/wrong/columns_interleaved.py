"""The columns of the heads take turns: column 0 of all heads, then column 1 of all heads. Look at
the order in which split_heads handed out the columns."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.movedim(-3, -1).reshape(*lead, N, D_H * H)
