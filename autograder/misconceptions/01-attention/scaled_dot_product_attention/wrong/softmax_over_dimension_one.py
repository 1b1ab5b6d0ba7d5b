"""The softmax runs over dimension 1, which belongs to the keys only for one matrix without a batch.
Look at which axis of E belongs to the keys whatever the number of axes."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=1)
    A = A.nan_to_num(0.0)
    return A @ V, A
