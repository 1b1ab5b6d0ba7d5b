"""Head h begins one column after head h − 1 instead of D_H columns after it. Look at the first and
the last column of head 1."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    D_H = D // num_heads
    return torch.stack([X[..., h : h + D_H] for h in range(num_heads)], dim=-3)
