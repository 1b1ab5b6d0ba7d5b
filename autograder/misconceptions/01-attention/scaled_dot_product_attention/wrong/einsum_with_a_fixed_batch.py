"""The einsum names exactly one leading dimension, so others fail. Look at what the ellipsis stands
for in an einsum."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = torch.einsum("bqd,bkd->bqk", Q, K) / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return torch.einsum("bqk,bkd->bqd", A, V), A
