"""The mask is added to the similarities as 1 and 0, which favours the allowed keys but hides
nothing. Look at which similarity the softmax turns into a weight of exactly 0."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E + allowed.to(E.dtype)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
