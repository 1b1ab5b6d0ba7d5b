"""A query that may attend to nothing gets zeros in Y but not in A. Look at what such a row of A
ought to hold."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    return (A.nan_to_num(0.0)) @ V, A
