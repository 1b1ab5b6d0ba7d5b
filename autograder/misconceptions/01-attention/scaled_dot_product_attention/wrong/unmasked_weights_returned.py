"""The output is right, but the weights that are returned were computed without the mask. Look at
which of your two A is returned."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    unmasked = A
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, unmasked
