"""The heads come as a list of tensors instead of one tensor with an axis for the heads. Look at how
tensors of the same shape are put together along a new axis."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return list(X.chunk(num_heads, dim=-1))
