"""Odd: queries and keys are each divided by the fourth root of D_Q."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    root = math.sqrt(math.sqrt(Q.shape[-1]))
    E = (Q / root) @ (K / root).mT
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1).nan_to_num()
    return A @ V, A
