"""The mask is used as an index, which needs exactly the shape of E and does not broadcast. Look for
a function that fills and broadcasts."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E[~allowed] = -torch.inf
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.nan_to_num(0.0)
    return A @ V, A
