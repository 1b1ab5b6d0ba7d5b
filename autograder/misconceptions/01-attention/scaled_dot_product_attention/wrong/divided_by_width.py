"""The similarities are divided by D_Q instead of √D_Q. Look again at how the size of q · k grows
with D_Q."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / Q.shape[-1]
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
