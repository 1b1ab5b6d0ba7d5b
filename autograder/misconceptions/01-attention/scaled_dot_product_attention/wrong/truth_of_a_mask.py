"""The mask is tested with a plain if, which fails for a tensor of more than one element. Look at
how to ask whether an argument is None."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
