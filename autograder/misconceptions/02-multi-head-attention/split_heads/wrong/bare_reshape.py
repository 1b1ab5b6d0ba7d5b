"""X is reshaped straight to (..., H, N, D_H), so a head holds pieces of whole rows and words get
mixed. Look at which numbers lie side by side in memory: the last axis can be cut, but axes cannot
be exchanged by a reshape."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, num_heads, N, D // num_heads)
