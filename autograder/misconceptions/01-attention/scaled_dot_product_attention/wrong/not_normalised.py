"""The exponentials are not divided by their sum. Look at what each row of A sums to."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.exp(E - E.amax(dim=-1, keepdim=True))
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
