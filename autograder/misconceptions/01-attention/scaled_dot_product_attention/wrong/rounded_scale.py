"""The similarities are divided by the whole-number part of √D_Q. Look at the type of the number you
divide by."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / int(math.sqrt(Q.shape[-1]))
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
