"""Queries and keys are brought to length 1 before the product, so their lengths no longer count.
Look at the equation for E: only √D_Q stands below the line."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = F.normalize(Q, dim=-1) @ F.normalize(K, dim=-1).mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
