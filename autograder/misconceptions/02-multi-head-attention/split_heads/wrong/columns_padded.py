"""When the heads do not divide the width, columns of zeros are added. Look at what is to happen for
a width that cannot be shared out."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    X = F.pad(X, (0, -D % num_heads))
    return X.reshape(*lead, N, num_heads, -1).transpose(-3, -2)
