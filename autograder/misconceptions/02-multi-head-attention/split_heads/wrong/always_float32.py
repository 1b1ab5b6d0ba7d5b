"""The heads are written into a tensor of zeros that is float32 whatever X is. Look at the dtype of
the tensor that you fill."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    D_H = D // num_heads
    heads = torch.zeros(*lead, num_heads, N, D_H, device=X.device)
    for h in range(num_heads):
        heads[..., h, :, :] = X[..., h * D_H : (h + 1) * D_H]
    return heads
