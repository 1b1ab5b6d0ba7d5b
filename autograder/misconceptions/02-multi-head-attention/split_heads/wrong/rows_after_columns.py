"""The last two axes of each head are exchanged: (..., H, D_H, N). Look at the order of words and
columns within a head."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.transpose(-2, -1).reshape(*lead, num_heads, D // num_heads, N)
