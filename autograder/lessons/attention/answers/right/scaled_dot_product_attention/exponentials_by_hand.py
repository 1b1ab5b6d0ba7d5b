"""Exponentials, set to 0 where hidden, divided by a sum that is never 0."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.transpose(-1, -2) * (1.0 / math.sqrt(Q.shape[-1]))
    if allowed is None:
        allowed = torch.ones_like(E, dtype=torch.bool)
    E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
    exponentials = torch.exp(E - E.max(dim=-1, keepdim=True).values) * allowed
    total = exponentials.sum(dim=-1, keepdim=True)
    A = exponentials / total.masked_fill(total == 0, 1.0)
    return A @ V, A
