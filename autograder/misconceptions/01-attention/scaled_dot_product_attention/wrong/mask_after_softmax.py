"""Weights are set to 0 after the softmax, so the rest of the row no longer sums to 1. Look at where
the mask has to come in for the softmax to share out all the weight."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
