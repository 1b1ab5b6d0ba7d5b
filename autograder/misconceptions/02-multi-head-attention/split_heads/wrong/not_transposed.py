"""The heads are cut but left behind the words: the shape is (..., N, H, D_H). Look at which axis
has to stand just before the last two when every head attends by itself."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, N, num_heads, D // num_heads)
