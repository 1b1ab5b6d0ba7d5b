"""The similarities of hidden keys are set to −100, so they keep a small weight and win when all
others are smaller still. Look at which similarity the softmax turns into a weight of exactly 0."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -100.0)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)
    return A @ V, A
