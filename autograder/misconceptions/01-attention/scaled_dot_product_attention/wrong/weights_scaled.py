"""The weights are divided by √D_Q after the softmax, so they no longer sum to 1. Look at the order
of the division and the softmax in the equation."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    A = A / math.sqrt(Q.shape[-1])
    return A @ V, A
