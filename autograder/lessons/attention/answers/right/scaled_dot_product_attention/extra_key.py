"""Odd: an extra key takes the weight of the rows without any allowed key and is dropped again."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    none_allowed = (E == -torch.inf).all(dim=-1, keepdim=True)
    extra = torch.full_like(E[..., :1], -torch.inf).masked_fill(none_allowed, 0.0)
    A = torch.softmax(torch.cat([E, extra], dim=-1), dim=-1)[..., :-1]
    return A @ V, A
