"""The output is the value of the most similar key alone. Look at what the other weights contribute
to the sum."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    best = A.argmax(dim=-1, keepdim=True).expand(*A.shape[:-1], V.shape[-1])
    return V.gather(-2, best), A
