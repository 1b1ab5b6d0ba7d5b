"""All leading axes are merged into one, permuted, and taken apart again."""
def merge_heads(Y):
    lead, (H, N, D_H) = Y.shape[:-3], Y.shape[-3:]
    flat = Y.reshape(math.prod(lead), H, N, D_H).permute(0, 2, 1, 3)
    return flat.reshape(*lead, N, H * D_H)
