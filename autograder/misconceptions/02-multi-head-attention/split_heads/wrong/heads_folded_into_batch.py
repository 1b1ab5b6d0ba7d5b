"""The heads are folded into the leading axis, as in some older code: (B · H, N, D_H). Look at the
shape that is asked for: the heads have an axis of their own."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    heads = X.reshape(*lead, N, num_heads, D // num_heads).transpose(-3, -2)
    return heads.reshape(-1, N, D // num_heads)
