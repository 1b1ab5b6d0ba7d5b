"""Y is reshaped straight to (..., N, D), so the rows of one head are put side by side and words get
mixed. Look at which two axes have to lie next to each other before they can become one."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.reshape(*lead, N, H * D_H)
