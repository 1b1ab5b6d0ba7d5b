"""num_heads is used as the width of one head, so there are D / H heads of width H. Look at which of
the two new axes is how long."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, N, D // num_heads, num_heads).transpose(-3, -2)
