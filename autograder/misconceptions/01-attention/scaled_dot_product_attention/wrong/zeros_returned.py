"""The output is zero everywhere. Look at the last equation, and whether the tensor you prepared is
ever filled."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    Y = torch.zeros(*Q.shape[:-1], V.shape[-1], dtype=V.dtype, device=V.device)
    return Y, A
