"""A Python loop over slices of columns."""
def split_heads(X, num_heads):
    if X.shape[-1] % num_heads:
        raise ValueError("not divisible")
    D_H = X.shape[-1] // num_heads
    heads = []
    for h in range(num_heads):
        columns = slice(h * D_H, (h + 1) * D_H)
        heads.append(X[..., columns].unsqueeze(-3))
    return torch.cat(heads, dim=-3)
