"""Q is changed: it is divided by √D_Q in place. Look at which line writes into an argument instead
of making a new tensor."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    Q /= math.sqrt(Q.shape[-1])
    E = Q @ K.mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
