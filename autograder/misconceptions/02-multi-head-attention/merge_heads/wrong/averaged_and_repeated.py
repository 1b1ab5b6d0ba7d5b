"""Every head's columns hold the mean over all heads. Look at what distinguishes the columns of head
0 from those of head 1."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.mean(dim=-3).repeat(*[1] * len(lead), 1, H)
