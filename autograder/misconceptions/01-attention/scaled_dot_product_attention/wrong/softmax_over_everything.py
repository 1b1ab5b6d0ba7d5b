"""All weights of all queries together sum to 1. Look at what each row of A has to sum to."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    exponentials = torch.exp(E - E.max())
    A = exponentials / exponentials.sum()
    return A @ V, A
