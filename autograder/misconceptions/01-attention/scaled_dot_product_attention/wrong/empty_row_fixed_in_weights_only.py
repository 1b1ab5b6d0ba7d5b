"""A query that may attend to nothing gets zeros in A but NaN in Y, which was computed before. Look
at the order of your last two steps."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    Y = A @ V
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return Y, A
