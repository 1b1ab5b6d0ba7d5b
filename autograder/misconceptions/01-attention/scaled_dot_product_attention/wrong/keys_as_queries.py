"""The keys are used as the queries, so every key asks about every other key. Look at the two
factors of E."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = K @ K.mT / math.sqrt(K.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
