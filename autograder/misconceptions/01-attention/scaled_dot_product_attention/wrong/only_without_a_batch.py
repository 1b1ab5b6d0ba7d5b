"""The keys are transposed with .T, which turns round all axes and so works for one matrix only.
Look for the transpose that leaves leading dimensions alone."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.T / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
