"""The heads stand before the batch: (H, ..., N, D_H). Look at where the new axis goes."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return torch.stack(X.chunk(num_heads, dim=-1))
