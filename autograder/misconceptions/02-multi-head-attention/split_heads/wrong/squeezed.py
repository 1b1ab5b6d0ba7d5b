"""Axes of length 1 are dropped, so a batch of one, a single word or a single head lose an axis.
Look for squeeze."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, N, num_heads, D // num_heads).transpose(-3, -2).squeeze()
