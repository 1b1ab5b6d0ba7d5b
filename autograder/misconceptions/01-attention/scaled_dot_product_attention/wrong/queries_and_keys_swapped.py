"""Queries and keys have changed places: E has one row for every key instead of every query. Write
the shapes of the two factors beside the product."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = K @ Q.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
