"""A query that may attend to nothing is made to attend to the first key. Look at what such a row of
A ought to hold."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        allowed = allowed.expand(E.shape).clone()
        allowed[..., 0] |= ~allowed.any(dim=-1)
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
