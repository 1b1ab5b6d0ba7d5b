"""The similarities are multiplied by √D_Q instead of divided by it. Look at whether the scaling is
meant to make the similarities larger or smaller."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT * math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
