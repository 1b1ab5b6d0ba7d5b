"""The queries are compared with each other instead of with the keys. Look at the two factors of
E."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ Q.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
