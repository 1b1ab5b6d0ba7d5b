"""The similarities themselves serve as weights, without a softmax. Look at whether your weights are
positive and sum to 1."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = E
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
