"""A mask over the keys is applied to the queries, so whole rows are hidden instead of columns. Look
at which axis of E belongs to the keys."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None and allowed.dim() == 1:
        allowed = allowed.unsqueeze(-1)
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
