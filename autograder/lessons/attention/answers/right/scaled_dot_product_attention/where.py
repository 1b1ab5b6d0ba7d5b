"""torch.where fills, the scale by rsqrt of a tensor."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    scale = torch.rsqrt(torch.tensor(float(Q.shape[-1]), dtype=Q.dtype, device=Q.device))
    E = (Q @ K.mT) * scale
    if allowed is None:
        allowed = torch.tensor(True, device=Q.device)
    E = torch.where(allowed, E, torch.full_like(E, -torch.inf))
    A = torch.where(allowed, torch.softmax(E, dim=-1), torch.zeros_like(E))
    return A @ V, A
