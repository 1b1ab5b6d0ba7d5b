"""D_V is taken to be D_Q, so other widths of the values fail. Look at which of Q, K and V each size
is read from."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    Y = torch.zeros_like(Q)
    Y[:] = A @ V
    return Y, A
