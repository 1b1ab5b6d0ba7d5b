"""The similarities of hidden keys are set to 0, which still gives them a weight above 0. Look at
which similarity the softmax turns into a weight of exactly 0."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, 0.0)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
