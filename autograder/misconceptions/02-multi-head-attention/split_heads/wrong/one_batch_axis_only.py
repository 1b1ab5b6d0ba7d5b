"""X is taken apart into exactly three axes, so a single sequence or two leading axes fail. Look at
how to name the last two axes and keep whatever stands before them."""


def split_heads(X, num_heads):
    B, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(B, N, num_heads, D // num_heads).transpose(1, 2)
