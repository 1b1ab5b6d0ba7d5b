"""A small number is added to the sum by which the masked weights are divided, so the rows sum to
less than 1. Look at where the mask has to come in for the softmax to do the division."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
        A = A / (A.sum(dim=-1, keepdim=True) + 1e-6)
    return A @ V, A
