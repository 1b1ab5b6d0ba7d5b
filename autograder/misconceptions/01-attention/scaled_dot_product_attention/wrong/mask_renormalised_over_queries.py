"""The masked weights are divided by their sum over the queries instead of over the keys. Look at
the axis of that sum."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    A = A / A.sum(dim=-2, keepdim=True)
    A = A.nan_to_num(0.0)
    return A @ V, A
