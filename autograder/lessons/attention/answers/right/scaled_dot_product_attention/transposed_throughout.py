"""Odd: everything is computed with the keys as rows and transposed at the end."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = K @ Q.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        hidden = ~torch.atleast_2d(allowed).mT
        E = E.masked_fill(hidden, -torch.inf)
    A = torch.softmax(E, dim=-2)
    if allowed is not None:
        A = A.masked_fill(hidden, 0.0)
    return (V.mT @ A).mT, A.mT
