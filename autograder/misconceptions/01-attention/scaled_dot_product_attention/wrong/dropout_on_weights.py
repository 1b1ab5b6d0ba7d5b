"""Some weights are set to 0 at random, so two calls differ. Look for a dropout, which this exercise
does not have."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    A = F.dropout(A, 0.1)
    return A @ V, A
