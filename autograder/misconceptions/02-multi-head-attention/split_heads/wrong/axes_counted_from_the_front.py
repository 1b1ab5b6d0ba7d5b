"""The axes 1 and 2 are exchanged, which are the right ones only when there is exactly one leading
axis. Look at how to count axes from the end."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, N, num_heads, D // num_heads).transpose(1, 2)
