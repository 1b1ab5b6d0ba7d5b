"""The softmax runs over the first dimension, which is the batch when there is one. Look at which
axis of E belongs to the keys whatever the number of axes."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=0)
    A = A.nan_to_num(0.0)
    return A @ V, A
