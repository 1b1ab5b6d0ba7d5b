"""The similarities are divided by 8, the value of √D_Q for D_Q = 64 only. Look at where the width
of the queries can be read."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / 8.0
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
