"""The dtype is right but float64 comes back with the precision of float32. Look for a conversion,
or a tensor made without the dtype of Q."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E.float(), dim=-1).to(E.dtype)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
