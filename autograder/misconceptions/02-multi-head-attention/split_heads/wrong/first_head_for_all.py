"""Every head holds the first D_H columns. Look at where the columns of head h begin."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    D_H = D // num_heads
    return torch.stack([X[..., :D_H] for _ in range(num_heads)], dim=-3)
