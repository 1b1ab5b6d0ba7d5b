"""The keys are transposed with transpose(1, 2), so exactly one leading dimension is needed. Look at
how axes can be counted from the end."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.transpose(1, 2) / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
