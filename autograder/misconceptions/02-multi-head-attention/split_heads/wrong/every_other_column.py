"""Head h gets the columns h, h + H, h + 2 H and so on. Look at which columns belong to head h: they
lie side by side."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return X.reshape(*lead, N, D // num_heads, num_heads).movedim(-1, -3)
