"""The mask is transposed, so its rows are lined up with the keys. Look at which axis of allowed
belongs to the queries."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        allowed = allowed if allowed.dim() < 2 else allowed.mT
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
