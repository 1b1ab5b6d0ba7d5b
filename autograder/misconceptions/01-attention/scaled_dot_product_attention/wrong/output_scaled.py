"""The output is divided by √D_Q instead of the similarities. Look at the order of the steps in the
equation."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V / math.sqrt(Q.shape[-1]), A
