"""All leading axes end up in one, and a single sequence gets an axis too many. Look at the shape
that the result is to have: the leading axes are as before."""


def split_heads(X, num_heads):
    N, D = X.shape[-2:]
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(-1, N, num_heads, D // num_heads).transpose(1, 2)
