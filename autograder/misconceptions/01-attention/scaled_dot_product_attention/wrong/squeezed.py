"""Axes of length 1 are squeezed away, so the shapes are wrong for one query or one key. Look for a
squeeze without an axis."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return (A @ V).squeeze(), A.squeeze()
