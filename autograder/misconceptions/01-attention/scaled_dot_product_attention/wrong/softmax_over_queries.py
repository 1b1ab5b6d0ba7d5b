"""The softmax runs over the queries instead of the keys. Look at which axis of E belongs to the
keys and what each row of A sums to."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-2)
    A = A.nan_to_num(0.0)
    return A @ V, A
