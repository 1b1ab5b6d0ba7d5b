"""The similarities are not divided by √D_Q, and the softmax runs over the queries instead of the
keys. Look at the equation for E first, then at which axis of E belongs to the keys."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-2)
    A = A.nan_to_num(0.0)
    return A @ V, A
