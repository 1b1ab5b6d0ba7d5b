"""The similarities are not divided by √D_Q. Look at how the size of q · k grows with D_Q."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
