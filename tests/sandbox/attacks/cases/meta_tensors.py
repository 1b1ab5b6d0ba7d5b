"""Tensors without numbers."""

# replaces: scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V, allowed=None):
    return torch.empty(*Q.shape[:-1], V.shape[-1], device="meta"), torch.empty(*Q.shape[:-1], K.shape[-2], device="meta")
