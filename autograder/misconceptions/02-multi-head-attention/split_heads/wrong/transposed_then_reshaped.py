"""X is transposed and then reshaped to (..., H, N, D_H), which mixes words and columns. Look at the
shape after each step: an axis may only be cut where it lies."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.transpose(-2, -1).reshape(*lead, num_heads, N, D // num_heads)
