"""Y keeps the dtype of the inputs but A is always float32, because the conversion for the softmax
is not undone. Look at the dtype of both results."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E.float(), dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A.to(V.dtype) @ V, A
