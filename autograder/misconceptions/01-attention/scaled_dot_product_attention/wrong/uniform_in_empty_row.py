"""A query that may attend to nothing gets the mean of all values, because all its similarities are
the same large negative number. Look at what such a row of A ought to hold."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -1e9)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
