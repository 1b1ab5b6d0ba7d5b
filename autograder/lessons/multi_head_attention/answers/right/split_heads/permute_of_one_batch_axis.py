"""All leading axes are merged into one, permuted, and taken apart again."""
def split_heads(X, num_heads):
    N, D = X.shape[-2:]
    if D % num_heads > 0:
        raise ValueError(f"D={D} H={num_heads}")
    D_H = D // num_heads
    flat = X.reshape(-1, N, num_heads, D_H).permute(0, 2, 1, 3)
    return flat.reshape(X.shape[:-2] + (num_heads, N, D_H))
