"""Every similarity goes through a sigmoid of its own, so the keys do not compete for the weight.
Look at what each row of A sums to."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.sigmoid(E)
    return A @ V, A
