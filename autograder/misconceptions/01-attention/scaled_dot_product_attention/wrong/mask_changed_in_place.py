"""The mask that was passed in is changed: it is inverted in place. Look for a call on allowed whose
name ends in an underscore."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        hidden = allowed.logical_not_()
        E = E.masked_fill(hidden, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(hidden, 0.0)
    return A @ V, A
