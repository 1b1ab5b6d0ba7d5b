"""Every head gets a copy of all D columns. Look at how wide one head is."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.unsqueeze(-3).expand(*lead, num_heads, N, D)
