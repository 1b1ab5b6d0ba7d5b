"""When the heads do not divide the width, the last columns are dropped without a word. Look at what
is to happen for a width that cannot be shared out."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    D_H = D // num_heads
    X = X[..., : num_heads * D_H]
    return X.reshape(*lead, N, num_heads, D_H).transpose(-3, -2)
