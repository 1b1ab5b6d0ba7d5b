"""The similarities of hidden keys are set to −1, which is a similarity like any other. Look at
which similarity the softmax turns into a weight of exactly 0."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -1.0)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
